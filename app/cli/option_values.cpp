#include "app/cli/option_values.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "core/base/number_text.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_longest_time_limit_s = 1'000'000;

}  // namespace

std::optional<std::uint64_t> parse_bytes(const std::string& text) {
    constexpr double k_largest_bytes = 1e18;
    const std::optional<double> bytes = parse_byte_size(text);
    if (!bytes || *bytes < 1 || *bytes > k_largest_bytes) return std::nullopt;
    return static_cast<std::uint64_t>(*bytes);
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

std::optional<double> parse_share(const std::string& text) { return parse_percent(text.ends_with('%') ? text : text + "%"); }

std::optional<std::chrono::seconds> parse_duration(const std::string& text) {
    constexpr std::int64_t k_most = 1'000'000;
    std::chrono::seconds unit{1};
    if (text.ends_with('h')) unit = std::chrono::hours(1);
    if (text.ends_with('m')) unit = std::chrono::minutes(1);
    const bool has_unit = text.ends_with('h') || text.ends_with('m') || text.ends_with('s');
    const auto number = parse_number<std::int64_t>(std::string_view(text).substr(0, text.size() - (has_unit ? 1 : 0)));
    if (!number || *number < 0 || *number > k_most || (!has_unit && *number != 0)) return std::nullopt;
    return *number * unit;
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

std::string is_share(const std::string& text) {
    if (parse_share(text)) return "";
    return "'" + text + "' is not a percentage, such as 20%";
}

std::string is_tolerance(const std::string& text) {
    if (parse_percent(text) || parse_bytes_or_none(text)) return "";
    return "'" + text + "' is neither a number of bytes nor a percentage, such as 100MiB or 2%";
}

std::string is_event(const std::string& text) {
    if (parse_event(text)) return "";
    return "'" + text + "' is not an event number: expected 0 or more, or -1 for before the first event";
}

std::string is_row_limit(const std::string& text) {
    if (parse_number<std::size_t>(text)) return "";
    return "'" + text + "' is not a number of rows: expected 1 or more, or 0 for every row";
}

std::string is_duration(const std::string& text) {
    if (parse_duration(text)) return "";
    return "'" + text + "' is not a time, such as 8h, 30m or 90s";
}

std::string is_time_limit(const std::string& text) {
    const auto seconds = parse_number<std::size_t>(text);
    if (seconds && *seconds <= k_longest_time_limit_s) return "";
    return "'" + text + "' is not a number of seconds: expected 1 to 1000000, or 0 for no limit";
}

void add_job_log(Arguments& arguments, std::string& into) {
    arguments.value("--log", into, "The job's log, for PyTorch's out-of-memory error: who else used the card",
                    {.type_name = "FILE"});
}

std::uint32_t part_of(const std::optional<std::size_t>& part) {
    return static_cast<std::uint32_t>(std::min<std::size_t>(part.value_or(1), std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace snapviewer
