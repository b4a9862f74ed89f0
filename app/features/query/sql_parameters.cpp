#include "app/features/query/sql_parameters.h"

#include <algorithm>
#include <optional>

#include "core/base/number_text.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

/// Removes the quotes around a text; a doubled quote becomes a single one.
std::string unquoted(std::string_view text) {
    std::string inner;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        inner += text[i];
        if (text[i] == '\'' && text[i + 1] == '\'' && i + 2 < text.size()) ++i;
    }
    return inner;
}

}  // namespace

Cell typed_value(std::string_view typed) {
    const std::string_view text = trimmed(typed);
    if (const auto integer = parse_number<std::int64_t>(text)) return *integer;
    if (const auto real = parse_number<double>(text)) return *real;
    if (lower_case(text) == "null") return {};
    if (text.size() >= 2 && text.front() == '\'' && text.back() == '\'') return unquoted(text);
    return std::string(text);
}

std::vector<QueryParameter> with_given(std::span<const QueryParameter> shown, const GivenParameters& given) {
    std::vector<QueryParameter> all(shown.begin(), shown.end());
    for (const auto& [name, typed] : given) {
        if (trimmed(typed).empty()) continue;
        const auto known = std::ranges::find(all, name, &QueryParameter::name);
        if (known != all.end())
            known->value = typed_value(typed);
        else
            all.push_back({name, typed_value(typed)});
    }
    return all;
}

}  // namespace snapviewer
