#include "app/serve/http_message.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/text.h"

namespace snapviewer::serve {
namespace {

constexpr std::string_view k_line_end = "\r\n";
constexpr std::size_t k_max_header_bytes = 8 << 10;
constexpr std::size_t k_max_range_bytes = 256;  // the library parses a Range with std::regex, which recurses once per byte
constexpr std::array<std::string_view, 7> k_methods = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"};

/// Returns the text before `end` and removes both from `text`; nullopt if `text` does not contain `end`.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view end) {
    const std::size_t length = text.find(end);
    if (length == text.npos) return std::nullopt;
    const std::string_view taken = text.substr(0, length);
    text.remove_prefix(length + end.size());
    return taken;
}

bool is_in_name(char c) {
    constexpr std::string_view k_others = "!#$%&'*+-.^_`|~";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || k_others.find(c) != k_others.npos;
}

bool is_in_target(char c) { return static_cast<unsigned char>(c) > ' ' && c != '\x7f'; }

bool is_in_value(char c) { return c == '\t' || (static_cast<unsigned char>(c) >= ' ' && c != '\x7f'); }

/// Returns the target of a request line such as "GET /path HTTP/1.1"; nullopt if the line is invalid.
std::optional<std::string_view> target_of_line(std::string_view line) {
    const auto method = take_until(line, " ");
    const auto target = take_until(line, " ");
    const bool is_known = method && target && std::ranges::find(k_methods, *method) != k_methods.end() &&
                          (line == "HTTP/1.1" || line == "HTTP/1.0");
    const bool has_path = is_known && target->starts_with('/') && std::ranges::all_of(*target, is_in_target) &&
                          std::ranges::count(*target, '?') <= 1;
    return has_path ? target : std::nullopt;
}

/// Counts the headers that decide where a request ends and for which host it is. Each may occur once.
struct DecidingHeaders {
    int hosts = 0;
    int lengths = 0;
    int encodings = 0;

    bool agree() const { return hosts <= 1 && lengths <= 1 && encodings <= 1 && lengths + encodings <= 1; }
};

bool is_header(std::string_view line, DecidingHeaders& deciding) {
    if (line.size() > k_max_header_bytes) return false;
    const auto name = take_until(line, ":");
    if (!name || name->empty() || !std::ranges::all_of(*name, is_in_name)) return false;
    if (!std::ranges::all_of(line, is_in_value)) return false;
    const std::string lower = lower_case(*name);
    if (lower == "host") ++deciding.hosts;
    if (lower == "transfer-encoding") ++deciding.encodings;
    if (lower == "content-length") {
        ++deciding.lengths;
        const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
        const std::string_view digits = line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
        if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) return false;
    }
    return lower != "range" || line.size() <= k_max_range_bytes;
}

}  // namespace

std::size_t head_length(std::string_view bytes, std::size_t seen) {
    constexpr std::string_view k_head_end = "\r\n\r\n";
    const std::size_t begin = seen < k_head_end.size() ? 0 : seen - (k_head_end.size() - 1);
    const std::size_t end = bytes.find(k_head_end, begin);
    return end == bytes.npos ? 0 : end + k_head_end.size();
}

std::optional<std::string_view> target_of_head(std::string_view head) {
    const auto line = take_until(head, k_line_end);
    const auto target = line ? target_of_line(*line) : std::nullopt;
    if (!target) return std::nullopt;
    DecidingHeaders deciding;
    while (true) {
        const auto header = take_until(head, k_line_end);
        if (!header) return std::nullopt;
        if (header->empty()) break;
        if (!is_header(*header, deciding)) return std::nullopt;
    }
    return deciding.agree() ? target : std::nullopt;
}

}  // namespace snapviewer::serve
