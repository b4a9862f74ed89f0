#include "app/cli/option_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/timeline/search_terms.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_longest_time_limit_s = 1'000'000;

constexpr int k_smallest_px = 64;
constexpr int k_largest_px = 16384;

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::optional<int> parse_length(std::string_view text) {
    const auto length = parse_number<int>(text);
    return length && *length >= k_smallest_px && *length <= k_largest_px ? length : std::nullopt;
}

bool parse_range(std::string_view text, double& begin, double& end) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) return false;
    const auto first = parse_number<double>(text.substr(0, colon));
    const auto last = parse_number<double>(text.substr(colon + 1));
    if (!first || !last || !std::isfinite(*first) || !std::isfinite(*last) || !(*first < *last)) return false;
    begin = *first;
    end = *last;
    return true;
}

}  // namespace

std::optional<SizePx> parse_size(const std::string& text) {
    const std::string_view view = text;
    const std::size_t times = view.find('x');
    if (times == std::string_view::npos) return std::nullopt;
    const auto width = parse_length(view.substr(0, times));
    const auto height = parse_length(view.substr(times + 1));
    if (!width || !height) return std::nullopt;
    return SizePx{*width, *height};
}

std::optional<ViewRange> parse_view(const std::string& text) {
    const std::string_view whole = text;
    const std::size_t comma = whole.find(',');
    ViewRange range;
    range.has_y = comma != std::string_view::npos;
    if (!parse_range(whole.substr(0, comma), range.view.x_begin, range.view.x_end)) return std::nullopt;
    if (range.has_y && !parse_range(whole.substr(comma + 1), range.view.y_begin, range.view.y_end)) return std::nullopt;
    return range;
}

std::vector<std::string> drawing_names() { return {"auto", "mesh", "index"}; }

Drawing drawing_named(const std::string& name) {
    const std::vector<std::string> names = drawing_names();
    const auto at = std::ranges::find(names, name);
    return at == names.end() ? Drawing::automatic : static_cast<Drawing>(at - names.begin());
}

std::optional<std::uint64_t> parse_bytes(const std::string& text) {
    constexpr double k_largest_bytes = 1e18;
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const auto number = parse_number<double>(std::string_view(text).substr(0, digits));
    const std::string unit = text.substr(digits);
    if (!number || !std::isfinite(*number)) return std::nullopt;
    double bytes = *number;
    if (!unit.empty() && unit != "B") {
        constexpr std::string_view k_units = "KMGT";
        const std::size_t power = k_units.find(unit[0]);
        if (power == std::string_view::npos || (unit.size() > 1 && unit.substr(1) != "iB")) return std::nullopt;
        bytes = std::ldexp(bytes, 10 * (static_cast<int>(power) + 1));
    }
    if (bytes < 1 || bytes > k_largest_bytes) return std::nullopt;
    return static_cast<std::uint64_t>(bytes);
}

std::optional<std::uint64_t> parse_bytes_or_none(const std::string& text) {
    return text == "0" ? std::uint64_t{0} : parse_bytes(text);
}

std::optional<double> parse_percent(const std::string& text) {
    constexpr double k_largest_percent = 1000;
    if (!text.ends_with('%')) return std::nullopt;
    const auto number = parse_number<double>(std::string_view(text).substr(0, text.size() - 1));
    const bool is_in_bounds = number && *number >= 0 && *number <= k_largest_percent;
    return is_in_bounds ? number : std::nullopt;
}

std::optional<std::int64_t> parse_event(const std::string& text) {
    const auto event = parse_number<std::int64_t>(text);
    return event && *event >= -1 ? event : std::nullopt;
}

std::string is_bytes(const std::string& text) {
    if (parse_bytes(text)) return "";
    return "'" + text + "' is not a number of bytes, such as 85899345920 or 80GiB";
}

std::string is_bytes_or_none(const std::string& text) { return parse_bytes_or_none(text) ? "" : is_bytes(text); }

std::string is_percent(const std::string& text) {
    if (parse_percent(text)) return "";
    return "'" + text + "' is not a number of per cent, such as 20%";
}

std::string is_tolerance(const std::string& text) {
    if (parse_percent(text) || parse_bytes_or_none(text)) return "";
    return "'" + text + "' is neither a number of bytes nor per cent, such as 100MiB or 2%";
}

std::string is_event(const std::string& text) {
    if (parse_event(text)) return "";
    return "'" + text + "' is not the number of an event: 0 or more, or -1 for before the first";
}

std::string is_size(const std::string& text) {
    if (parse_size(text)) return "";
    return "'" + text + "' is not WIDTHxHEIGHT with both from " + std::to_string(k_smallest_px) + " to " +
           std::to_string(k_largest_px);
}

std::string is_view(const std::string& text) {
    if (parse_view(text)) return "";
    return "'" + text + "' is not X0:X1 or X0:X1,Y0:Y1 with rising numbers";
}

std::string is_search(const std::string& text) {
    const auto terms = parse_search(text);
    return terms ? "" : terms.error().message;
}

std::string is_row_limit(const std::string& text) {
    if (parse_number<std::size_t>(text)) return "";
    return "'" + text + "' is not a number of rows: 1 or more, or 0 for every row";
}

std::string is_time_limit(const std::string& text) {
    const auto seconds = parse_number<std::size_t>(text);
    if (seconds && *seconds <= k_longest_time_limit_s) return "";
    return "'" + text + "' is not a number of seconds: 1 to 1000000, or 0 for no limit";
}

}  // namespace snapviewer
