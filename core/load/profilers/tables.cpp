#include "core/load/profilers/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/load/bytes/sources.h"

namespace snapviewer::profilers {

bool has_any_table(const sqlite::SqliteFile& file, std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) { return file.find_table(name).has_value(); });
}

bool has_all_tables(const sqlite::SqliteFile& file, std::initializer_list<std::string_view> names) {
    return std::ranges::all_of(names, [&](std::string_view name) { return file.find_table(name).has_value(); });
}

Wanted Wanted::expression(std::string sql) {
    Wanted wanted("");
    wanted.text_ = std::move(sql);
    wanted.is_expression_ = true;
    return wanted;
}

std::string Wanted::sql(const sqlite::SqliteFile& file, std::string_view table) const {
    if (is_expression_) return text_;
    for (std::string_view rest = text_; !rest.empty();) {
        const std::string_view name = rest.substr(0, rest.find('|'));
        if (const auto column = file.find_column(table, {name})) return sqlite::sql_name(*column);
        rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    }
    return "NULL";
}

std::string select_columns(const sqlite::SqliteFile& file, std::string_view table, std::initializer_list<Wanted> wanted) {
    const std::optional<std::string> name = file.find_table(table);
    if (!name) return {};
    std::string list;
    bool has_any = false;
    for (const Wanted& each : wanted) {
        const std::string sql = each.sql(file, *name);
        has_any = has_any || (!each.is_expression() && sql != "NULL");
        list += (list.empty() ? "" : ", ") + sql;
    }
    if (!has_any) return {};
    return "SELECT " + list + " FROM " + sqlite::sql_name(*name);
}

std::string row_number_of(sqlite::SqliteFile& file, std::string_view table) {
    const std::optional<std::string> name = file.find_table(table);
    return name && file.query("SELECT rowid FROM " + sqlite::sql_name(*name)) ? "rowid" : "NULL";
}

sqlite::SqlView make_view(const char* name, std::string text, const std::vector<ViewColumn>& columns,
                          const std::string& from) {
    sqlite::SqlView view;
    view.doc = {name, std::move(text), {}, true};
    for (const ViewColumn& column : columns) {
        view.select +=
            fmt::format("{}{} AS {}", view.select.empty() ? "SELECT " : ", ", column.sql, sqlite::sql_name(column.name));
        view.doc.columns.push_back({column.name, column.type, column.text});
    }
    view.select += " FROM " + from;
    return view;
}

std::optional<sqlite::SqliteRows> first_row(sqlite::SqliteFile& file, const std::string& sql,
                                            std::optional<std::int64_t> key) {
    if (sql.empty()) return std::nullopt;
    Result<sqlite::SqliteRows> rows = file.query(sql);
    if (!rows) return std::nullopt;
    if (key) rows->bind(1, *key);
    return rows->next() ? std::optional(*std::move(rows)) : std::nullopt;
}

void log_damage(ImportLog& log, std::string_view table, const Error& error) {
    const bool ends_all = error.code == ErrorCode::cancelled || error.code == ErrorCode::unsupported;
    if (ends_all) throw Failure{error};
    log.add("table_cut", {.subject = table}, {table, error.message});
}

std::optional<std::int64_t> whole_number(const sqlite::SqliteRows& rows, int column) {
    if (const auto stored = rows.stored_integer(column)) return stored;
    switch (rows.type(column)) {
        case sqlite::ValueType::real: {
            constexpr double k_largest = 9.2e18;
            const double value = rows.real(column);
            return std::abs(value) < k_largest ? std::optional(std::llround(value)) : std::nullopt;
        }
        case sqlite::ValueType::text: return parse_number<std::int64_t>(rows.text(column));
        default: return std::nullopt;
    }
}

std::optional<std::int64_t> moment(const sqlite::SqliteRows& rows, int column) {
    const auto time = whole_number(rows, column);
    return time && *time > 0 && *time < k_max_time ? time : std::nullopt;
}

MetadataId intern_category(Snapshot& snapshot, std::string_view name) {
    EventMetadata wanted;
    wanted.category = snapshot.strings.intern(name);
    const MetadataId id{
        static_cast<std::uint32_t>(std::ranges::find(snapshot.metadata, wanted) - snapshot.metadata.begin())};
    if (id.value == snapshot.metadata.size()) snapshot.metadata.push_back(wanted);
    return id;
}

void add_event(DeviceTrace& trace, Action action, AllocationId id, std::int64_t time_us, StackId stack,
               MetadataId metadata) {
    AllocationColumns& allocations = trace.allocations;
    const EventId event{static_cast<std::uint32_t>(trace.events.size())};
    trace.events.push({.action = action,
                       .address = allocations.address[id.value],
                       .size_bytes = allocations.size_bytes[id.value],
                       .stream = allocations.stream[id.value],
                       .time_us = time_us,
                       .stack = stack,
                       .metadata = metadata});
    if (action == Action::free_requested)
        trace.free_requests.push_back({event, id});
    else
        (action == Action::alloc ? allocations.alloc_event : allocations.free_event)[id.value] = event;
}

SnapshotWords::SnapshotWords(Snapshot& snapshot) : snapshot_(snapshot) { snapshot_.streams = {0}; }

Action SnapshotWords::action(std::string_view name) {
    const auto known_count = static_cast<std::size_t>(Action::first_unnamed) + snapshot_.other_actions.size();
    for (std::size_t i = 0; i < known_count; ++i) {
        if (action_name(snapshot_, static_cast<Action>(i)) == name) return static_cast<Action>(i);
    }
    if (snapshot_.other_actions.size() >= limits::k_unnamed_actions) bytes::fail("too many kinds of action");
    snapshot_.log.add("unknown_action", {}, {"with an unknown action, kept but not drawn: '" + one_line(name) + "'"});
    snapshot_.other_actions.emplace_back(name);
    return static_cast<Action>(known_count);
}

std::uint16_t SnapshotWords::stream(std::uint64_t raw) {
    if (raw == last_stream_) return last_stream_index_;
    const auto known = std::ranges::find(snapshot_.streams, raw);
    last_stream_index_ = static_cast<std::uint16_t>(known - snapshot_.streams.begin());
    last_stream_ = raw;
    if (known != snapshot_.streams.end()) return last_stream_index_;
    if (snapshot_.streams.size() >= limits::k_streams) bytes::fail("more than 65535 streams");
    snapshot_.streams.push_back(raw);
    return last_stream_index_;
}

DeviceTrace& SnapshotWords::device(std::int64_t number) {
    constexpr std::int64_t k_max_device = std::numeric_limits<std::int32_t>::max() - 1;
    const bool is_possible = number >= -k_max_device && number <= k_max_device;
    if (!is_possible) snapshot_.log.add("bad_device", {}, {"impossible device numbers, read as 0"});
    const auto device = static_cast<std::int32_t>(is_possible ? number : 0);
    const auto known = std::ranges::find(snapshot_.devices, device, &DeviceTrace::device);
    if (known != snapshot_.devices.end()) return *known;
    if (snapshot_.devices.size() >= limits::k_devices) bytes::fail("more than 1024 devices");
    DeviceTrace& trace = snapshot_.devices.emplace_back();
    trace.device = device;
    return trace;
}

StackId StackTexts::intern(std::string_view text) {
    /// Maximum size of the cache of texts. The stacks themselves are interned and not affected.
    constexpr std::size_t k_max_known_bytes = std::size_t{64} << 20;
    if (text.empty()) return StackId::none();
    if (const auto known = known_.find(text); known != known_.end()) return known->second;
    std::vector<FrameId> frames;
    for (const StackLine& each : parse_(text)) {
        const StringId file = snapshot_.strings.intern(each.file);
        frames.push_back(snapshot_.stacks.intern_frame({file, snapshot_.strings.intern(each.function), each.line}));
    }
    if (order_ == Order::outermost_first) std::ranges::reverse(frames);
    const StackId stack = frames.empty() ? StackId::none() : snapshot_.stacks.intern_stack(frames);
    known_bytes_ += text.size();
    if (known_bytes_ > k_max_known_bytes) {
        known_.clear();
        known_bytes_ = text.size();
    }
    known_.emplace(text, stack);
    return stack;
}

std::string moment_text(std::int64_t time_ns) {
    return fmt::format("{}{:03} UTC", format_wall_clock_us(time_ns / 1000), time_ns % 1000);
}

std::string duration_text(std::int64_t duration_ns) {
    return fmt::format("{:.3f} ms", static_cast<double>(duration_ns) / 1e6);
}

}  // namespace snapviewer::profilers
