#include "core/load/remote_answer.h"

#include <algorithm>
#include <utility>

#include "core/base/number_text.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_longest_remote_name = 4096;
constexpr std::string_view k_here = "./";

/// Removes the text before the next `separator`, and the separator, from `text`. Returns the removed text without the
/// separator.
std::string_view take_until(std::string_view& text, std::string_view separator) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + separator.size()));
    return part;
}

/// Returns the value of a field of an HTTP header, or nullopt. `name` is in lower case.
std::optional<std::string_view> http_field(std::string_view header, std::string_view name) {
    while (!header.empty()) {
        std::string_view line = take_until(header, "\r\n");
        if (lower_case(take_until(line, ":")) == name) return trimmed(line);
    }
    return std::nullopt;
}

bool stays_below(std::string_view name) {
    if (name.size() > k_longest_remote_name || name.find('\0') != name.npos) return false;
    while (true) {
        const std::size_t end = std::min(name.find('/'), name.size());
        const std::string_view part = name.substr(0, end);
        if (part.empty() || part == "." || part == "..") return false;
        if (end == name.size()) return true;
        name.remove_prefix(end + 1);
    }
}

}  // namespace

SentFile parse_sent_file(std::string_view line) {
    std::string packing(take_until(line, " "));
    return {std::move(packing), parse_number<std::uint64_t>(trimmed(line)).value_or(0)};
}

std::vector<RemoteEntry> parse_listing(std::string_view text) {
    std::vector<RemoteEntry> entries;
    while (!text.empty()) {
        std::string_view line = take_until(text, "\n");
        const auto size_bytes = parse_number<std::uint64_t>(take_until(line, " "));
        const auto modified_s = parse_number<std::int64_t>(take_until(line, " "));
        if (!size_bytes || !modified_s || !line.starts_with(k_here)) continue;
        line.remove_prefix(k_here.size());
        if (stays_below(line)) entries.push_back({std::string(line), *size_bytes, *modified_s});
    }
    return entries;
}

std::optional<HttpAnswer> parse_http_answer(std::string_view text) {
    constexpr std::string_view k_end = "\r\n\r\n";
    const std::size_t end = text.find(k_end);
    if (end == text.npos) return std::nullopt;
    const std::string_view header = text.substr(0, end);
    const std::string_view status = header.substr(std::min(header.size(), header.find(' ')));
    HttpAnswer answer;
    answer.header_bytes = end + k_end.size();
    answer.is_followed = status.starts_with(" 1") || (status.starts_with(" 3") && http_field(header, "location"));
    answer.body_bytes = parse_number<std::uint64_t>(http_field(header, "content-length").value_or("")).value_or(0);
    return answer;
}

void MarkedText::add(std::string_view piece) {
    text_.erase(0, std::exchange(taken_, 0));
    text_ += piece;
}

std::string_view MarkedText::take_content() {
    const std::string_view rest = this->rest();
    const std::size_t at = rest.find(begin_of_line_);
    // The last bytes may be the beginning of a message line.
    const std::size_t open = std::min(rest.size(), begin_of_line_.size() - 1);
    const std::string_view content = rest.substr(0, at == rest.npos ? rest.size() - open : at);
    taken_ += content.size();
    return content;
}

std::optional<std::string> MarkedText::take_line() {
    std::string_view rest = this->rest();
    if (!rest.starts_with(begin_of_line_)) return std::nullopt;
    rest.remove_prefix(begin_of_line_.size());
    const std::size_t end = rest.find('\n');
    if (end == rest.npos) return std::nullopt;
    std::string line(rest.substr(0, end));
    taken_ += begin_of_line_.size() + end + 1;
    return line;
}

}  // namespace snapviewer
