#include "core/query/search_sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/base/text.h"
#include "core/query/database.h"
#include "core/trace/segments.h"

namespace snapviewer::query {
namespace {

using Kind = SearchTerm::Kind;

constexpr const char* k_or = "\n       OR ";
constexpr std::size_t k_max_streams = 100;
constexpr std::uint64_t k_max_sql_integer = std::numeric_limits<std::int64_t>::max();

std::string sql_text(std::string_view text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
    return quoted + "'";
}

/// Returns a LIKE condition with the rules of contains_pattern(): an underscore only matches itself.
std::string like(std::string_view column, std::string_view pattern) {
    const bool has_escapes = pattern.find_first_of("_\\") != pattern.npos;
    std::string escaped;
    for (const char c : pattern) {
        if (has_escapes && (c == '_' || c == '\\')) escaped += '\\';
        escaped += c;
    }
    return fmt::format("{} LIKE {}{}", column, sql_text("%" + escaped + "%"), has_escapes ? " ESCAPE '\\'" : "");
}

std::string frame_condition(const std::string& condition) {
    return "stack_id IN (SELECT stack_id FROM stack_frames\n"
           "                   WHERE frame_id IN (SELECT id FROM frames WHERE " +
           condition + "))";
}

/// Returns a condition for the values of a column that is never negative.
std::string in_range(std::string_view column, const NumberRange& range) {
    if (range.low > range.high || range.low > k_max_sql_integer) return "0";
    if (range.low == range.high) return fmt::format("{} = {}", column, range.low);
    if (range.high >= k_max_sql_integer) return fmt::format("{} >= {}", column, range.low);
    if (range.low == 0) return fmt::format("{} <= {}", column, range.high);
    return fmt::format("{} BETWEEN {} AND {}", column, range.low, range.high);
}

/// Returns a condition for addresses. In SQL, addresses from 2^63 on are negative.
std::string at_address(const NumberRange& range) {
    const auto low = static_cast<std::int64_t>(range.low);
    const auto high = static_cast<std::int64_t>(range.high);
    if (range.low > range.high) return "0";
    if (range.low == range.high) return fmt::format("{0} >= address AND {0} - address < max(size, 1)", low);
    if ((low < 0) == (high < 0)) return fmt::format("address BETWEEN {} AND {}", low, high);
    return fmt::format("(address >= {} OR address <= {})", low, high);
}

std::string text_condition(const std::string& text) {
    std::string condition =
        frame_condition(like("text", text)) + k_or + like("user_metadata", text) + k_or + like("annotation", text);
    if (const std::optional<std::uint64_t> address = parse_address(text))
        condition += k_or + at_address({*address, *address});
    return "(" + condition + ")";
}

/// Returns a condition for streams, by handle or by stream number. The tables only contain the raw handles.
Result<std::string> stream_condition(const Snapshot& snapshot, const NumberRange& range) {
    std::vector<std::int64_t> handles;
    for (std::size_t i = 0; i < snapshot.streams.size(); ++i) {
        const std::uint64_t handle = snapshot.streams[i];
        if (range.contains(handle) || range.contains(stream_number(snapshot, static_cast<std::uint16_t>(i))))
            handles.push_back(static_cast<std::int64_t>(handle));
    }
    if (handles.size() > k_max_streams)
        return Error{ErrorCode::bad_query, fmt::format("{} streams are too many for an SQL condition", handles.size())};
    return fmt::format("stream IN ({})", fmt::join(handles, ", "));
}

Result<std::string> condition_of(const SearchTerm& term, const Timeline& timeline) {
    switch (term.kind) {
        case Kind::text: return text_condition(term.text);
        case Kind::function: return frame_condition(like("function", term.text));
        case Kind::file: return frame_condition(like("file", term.text));
        case Kind::expression: return frame_condition("text REGEXP " + sql_text(term.text));
        case Kind::address: return at_address(term.range);
        case Kind::size: return in_range("size", term.range);
        case Kind::stream: return stream_condition(timeline.snapshot(), term.range);
        case Kind::age_steps:
            return in_range(fmt::format("coalesce(free_step, {}) - alloc_step", timeline.step_count()), term.range);
        case Kind::age_time:
            return fmt::format("free_time_us - alloc_time_us >= 0 AND {}",
                               in_range("free_time_us - alloc_time_us", term.range));
    }
    return std::string();
}

/// Returns a condition for one device. Device numbers come from the file and may not be unique; then the condition is a
/// range of ids.
std::string of_device(const Timeline& timeline, std::size_t device_index) {
    const std::vector<DeviceTrace>& devices = timeline.snapshot().devices;
    const auto device = devices[device_index].device;
    if (std::ranges::count(devices, device, &DeviceTrace::device) == 1) return fmt::format("device = {}", device);
    const std::int64_t first = first_allocation_row(timeline.snapshot(), device_index);
    return fmt::format("id BETWEEN {} AND {}", first, first + static_cast<std::int64_t>(timeline.allocation_count()) - 1);
}

}  // namespace

Result<std::string> search_sql(const std::vector<SearchTerm>& terms, const Timeline& timeline, std::size_t device_index) {
    std::string sql =
        "SELECT id, size, human(size), alloc_step, free_step,\n"
        "       (SELECT top_frame FROM stacks WHERE stacks.id = stack_id) AS line\n"
        "FROM allocations\n"
        "WHERE " +
        of_device(timeline, device_index);
    for (const SearchTerm& term : terms) {
        Result<std::string> condition = condition_of(term, timeline);
        if (!condition) return condition.error();
        sql += "\n  AND " + *condition;
    }
    return sql + "\nORDER BY size DESC";
}

}  // namespace snapviewer::query
