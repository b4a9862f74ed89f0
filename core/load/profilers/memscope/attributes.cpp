#include "core/load/profilers/memscope/attributes.h"

#include <algorithm>
#include <cmath>

#include "core/base/number_text.h"
#include "core/base/text.h"

namespace snapviewer::memscope {
namespace {

/// Length of the nested object or list at the start of `text`; the whole length if its closing bracket is missing.
std::size_t nested_length(std::string_view text) {
    std::size_t depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '{' || text[i] == '[') ++depth;
        if ((text[i] == '}' || text[i] == ']') && --depth == 0) return i + 1;
    }
    return text.size();
}

}  // namespace

Attributes::Attributes(std::string_view text) : rest_(trimmed(text)) {
    if (rest_.size() >= 2 && rest_.starts_with('"') && rest_.ends_with('"')) rest_ = rest_.substr(1, rest_.size() - 2);
    if (rest_.starts_with('{')) rest_.remove_prefix(1);
}

bool Attributes::next() {
    skip_spaces();
    if (rest_.starts_with(',')) rest_.remove_prefix(1);
    skip_spaces();
    if (rest_.empty() || rest_.front() == '}') return false;
    key_ = rest_.front() == '"' ? quoted() : bare(":");
    skip_spaces();
    if (!rest_.starts_with(':')) return false;
    rest_.remove_prefix(1);
    skip_spaces();
    if (rest_.starts_with('"')) {
        value_ = quoted();
    } else if (rest_.starts_with('{') || rest_.starts_with('[')) {
        value_ = rest_.substr(0, nested_length(rest_));
        rest_.remove_prefix(value_.size());
    } else {
        value_ = bare(",}");
    }
    return true;
}

void Attributes::skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }

std::string_view Attributes::quoted() {
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2U : 1U;
    end = std::min(end, rest_.size());
    const std::string_view found = rest_.substr(1, end - 1);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return found;
}

std::string_view Attributes::bare(std::string_view ends) {
    const std::string_view found = rest_.substr(0, rest_.find_first_of(ends));
    rest_.remove_prefix(found.size());
    return trimmed(found);
}

std::optional<std::int64_t> number_of(std::string_view text) {
    if (const auto whole = parse_number<std::int64_t>(text)) return whole;
    const auto real = parse_number<double>(text);
    constexpr double k_largest = 9.2e18;
    return real && std::abs(*real) < k_largest ? std::optional(std::llround(*real)) : std::nullopt;
}

}  // namespace snapviewer::memscope
