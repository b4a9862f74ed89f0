#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/query/database.h"
#include "core/query/table.h"
#include "core/timeline/overlays.h"
#include "core/timeline/timeline.h"
#include "core/trace/annotations.h"
#include "core/trace/segments.h"
#include "core/trace/snapshot.h"
#include "core/trace/stack_lines.h"

namespace snapviewer::query {

constexpr std::optional<std::int64_t> known_time(std::int64_t time_us) {
    return time_us == k_no_time ? std::nullopt : std::optional(time_us);
}

/// Rows of tables that have to be computed from a snapshot and its timelines. Each kind of row is computed on first use and
/// cached. Not thread-safe.
class DerivedRows {
public:
    DerivedRows(std::shared_ptr<const Snapshot> snapshot, std::vector<std::shared_ptr<const Timeline>> timelines);

    struct MarkerRow {
        std::size_t device_index = 0;
        Marker marker;
    };
    const std::vector<MarkerRow>& markers();
    /// Capacity of a device in bytes, or nullopt if the file does not contain it.
    std::optional<std::int64_t> capacity(std::size_t device_index);

    struct RangeRow : AnnotationRange {
        std::optional<std::int64_t> start_step;  ///< Step of the next alloc or free; nullopt if the events have no times
        std::optional<std::int64_t> end_step;
    };
    const std::vector<RangeRow>& ranges();

    struct PendingRow : PendingSpan {
        std::size_t device_index = 0;
        EventId completion;  ///< Event that completed the free; none() if there is none
    };
    const std::vector<PendingRow>& pending();

    /// Reserved bytes of a device at a tick, or nullopt if the file does not contain them.
    std::optional<std::int64_t> reserved(std::size_t device_index, std::uint32_t tick);

    const Holes& segment_holes(std::size_t segment);

    struct PoolRow {
        std::int32_t device = 0;
        std::uint16_t pool = k_no_pool;
        std::uint64_t segments = 0;
        std::uint64_t reserved_bytes = 0;
        std::uint64_t allocated_bytes = 0;
        std::uint64_t active_bytes = 0;
        Holes holes;
    };
    const std::vector<PoolRow>& pools();

    const StackLines& stack_lines();

    /// Totals of the allocations made with one stack, on all devices. Excludes allocations whose recorded stack is the stack
    /// of the free (Origin::freed).
    struct StackUse {
        std::int64_t count = 0;
        std::uint64_t bytes = 0;
        std::uint64_t largest_bytes = 0;
    };
    const StackUse& use_of(StackId stack);

private:
    void find_landmarks_of_all();
    const std::optional<ReservedHistory>& reserved_of(std::size_t device_index);

    std::shared_ptr<const Snapshot> snapshot_;
    std::vector<std::shared_ptr<const Timeline>> timelines_;
    std::vector<std::optional<std::optional<ReservedHistory>>> reserved_;
    std::optional<std::vector<MarkerRow>> markers_;
    std::vector<std::optional<std::int64_t>> capacities_;
    std::optional<std::vector<RangeRow>> ranges_;
    std::optional<std::vector<PendingRow>> pending_;
    std::vector<Holes> holes_;  ///< Holes of each segment; empty until segment_holes() is first called
    std::optional<std::vector<PoolRow>> pools_;
    std::optional<StackLines> stack_lines_;
    std::vector<StackUse> stack_uses_;  ///< Indexed by StackId; empty until use_of() is first called
};

/// The data that the tables read. Must outlive the tables.
struct CatalogSource {
    CatalogSource(std::shared_ptr<const Snapshot> the_snapshot, std::vector<std::shared_ptr<const Timeline>> the_timelines);

    /// A row of a table that lists the rows of all devices: the device, and the row within that device.
    struct Place {
        std::size_t device_index;
        std::size_t row;
    };
    /// Finds the device of a row. `ends[d]` is the number of rows of the devices up to and including d.
    static Place locate(const std::vector<std::size_t>& ends, std::size_t row);
    static std::size_t first_row(const std::vector<std::size_t>& ends, std::size_t device_index) {
        return device_index == 0 ? 0 : ends[device_index - 1];
    }
    /// The events.id of an event of a device.
    std::optional<std::uint64_t> event_id(std::size_t device_index, EventId event) const {
        return event.is_some() ? std::optional(first_row(event_ends, device_index) + event.value) : std::nullopt;
    }
    std::optional<std::int64_t> event_time(std::size_t device_index, EventId event) const {
        return event.is_some() ? known_time(snapshot->devices[device_index].events.time_us[event.value]) : std::nullopt;
    }
    /// Order of a column of device numbers. Rows are sorted by device index, and host memory comes last although its device
    /// number is negative.
    ColumnOrder device_order() const;
    /// Order of a column of the steps at which allocations begin. ColumnOrder::none for several devices. O(allocations).
    ColumnOrder start_order() const;
    /// Maximum share of all allocations that are live at the same time.
    double max_live_share() const;

    std::shared_ptr<const Snapshot> snapshot;
    std::vector<std::shared_ptr<const Timeline>> timelines;
    std::size_t allocs_device = 0;
    std::vector<std::size_t> event_ends;
    std::vector<std::size_t> allocation_ends;
    std::vector<std::size_t> tick_ends;
    std::vector<std::size_t> stack_frame_ends;  ///< Element i: number of frames of stacks 0 to i
    std::vector<std::uint32_t> block_segments;  ///< Segment index of each block

    std::shared_ptr<Dictionary> strings;  ///< All strings of the file; a code is a StringId
    std::shared_ptr<Dictionary> stacks;   ///< Texts of call stacks; a code is a StackId
    std::shared_ptr<Dictionary> pools;    ///< Names of pools; a code is an index into Snapshot::pools
    std::shared_ptr<Dictionary> actions;  ///< Names of actions; a code is an Action
    std::shared_ptr<DerivedRows> derived;
};

/// Creates all tables, with the columns in `added`. This is the only description of the schema: SQLite's tables, the schema
/// browser and docs/sql.md all come from it.
std::vector<Table> make_tables(const CatalogSource& source, const std::vector<AddedColumn>& added = {});

std::vector<Table> trace_tables(const CatalogSource& source);    ///< Tables allocs, allocations, events
std::vector<Table> stack_tables(const CatalogSource& source);    ///< Tables stacks, stack_frames, frames
std::vector<Table> memory_tables(const CatalogSource& source);   ///< Tables segments, blocks, totals, memory_curves
std::vector<Table> derived_tables(const CatalogSource& source);  ///< Tables markers, ranges, pending_frees, pools, streams
std::vector<Table> file_tables(const CatalogSource& source);     ///< Tables devices, annotations, settings, import_log

std::vector<sqlite::TableDoc> describe(const std::vector<Table>& tables);

/// Creates a dictionary that stores a few texts; the code is the index.
std::shared_ptr<Dictionary> make_list_dictionary(std::vector<std::string> texts);
/// Creates a dictionary that computes a text on every access. `size` returns the number of codes.
std::shared_ptr<Dictionary> make_function_dictionary(std::function<std::size_t()> size,
                                                     std::function<std::string(std::uint32_t code)> text);

/// Converts a value of a field to an SQL integer. nullopt and the id none() become NULL, true becomes 1, and unsigned
/// numbers from 2^63 on become negative.
template <typename T>
constexpr std::optional<std::int64_t> to_sql(const T& value) {
    if constexpr (requires { value.has_value(); }) {
        return value ? to_sql(*value) : std::nullopt;
    } else if constexpr (requires { value.is_some(); }) {
        return value.is_some() ? std::optional(std::int64_t{value.value}) : std::nullopt;
    } else {
        return static_cast<std::int64_t>(value);
    }
}

/// Converts a value of a field to the code of a text: an enumerator, a number or a StringId, whose none() is k_null_code.
template <typename T>
constexpr std::uint32_t to_code(const T& value) {
    if constexpr (requires { value.is_some(); })
        return value.value;
    else
        return static_cast<std::uint32_t>(value);
}

constexpr std::uint32_t pool_code(std::uint16_t pool) { return pool == k_no_pool ? k_null_code : pool; }

/// Creates the columns of one table from fields. As in a list of Fields (core/base/fields.h), a field has a name, a unit, a
/// sentence and a member or function that reads the value of a row. The difference is speed: a column reads the integers of
/// many rows with one call, and texts by their codes.
///
///     field("size", FieldUnit::bytes, "reserved bytes", &Segment::total_bytes)
template <typename RowAt>
class TableFields {
public:
    /// `row_at` returns the row with a number below `row_count()`.
    TableFields(std::function<std::size_t()> row_count, RowAt row_at)
        : row_count_(std::move(row_count)), row_at_(std::move(row_at)) {}

    const std::function<std::size_t()>& row_count() const { return row_count_; }

    /// A column of integers, see to_sql(). If `get` returns a text or an optional text, a column of texts that are computed
    /// on every access.
    template <typename Get>
    Column operator()(const char* name, FieldUnit unit, const char* sentence, Get get, ColumnOrder order = ColumnOrder::none,
                      double lasting_share = 0) const {
        Column column{name, unit, sentence, order, lasting_share};
        const auto read = [row_at = row_at_, get](std::size_t row) { return std::invoke(get, row_at(row)); };
        using Value = decltype(read(0));
        if constexpr (std::is_convertible_v<Value, std::optional<std::string>>) {
            const auto text = [read](std::uint32_t row) { return std::optional<std::string>(read(row)).value_or(""); };
            column.dictionary = make_function_dictionary(row_count_, text);
            column.code = [read](std::size_t row) {
                return std::optional<std::string>(read(row)) ? to_code(row) : k_null_code;
            };
        } else {
            column.integers = [read](std::span<const std::size_t> rows, std::span<std::optional<std::int64_t>> values) {
                std::ranges::transform(rows, values.begin(), [&](std::size_t row) { return to_sql(read(row)); });
            };
        }
        return column;
    }

    /// A column of texts of a dictionary. `get` returns the code, see to_code().
    template <typename Get>
    Column operator()(const char* name, std::shared_ptr<Dictionary> dictionary, const char* sentence, Get get) const {
        Column column{name, FieldUnit::text, sentence};
        column.dictionary = std::move(dictionary);
        column.code = [row_at = row_at_, get](std::size_t row) { return to_code(std::invoke(get, row_at(row))); };
        return column;
    }

private:
    std::function<std::size_t()> row_count_;
    RowAt row_at_;
};

/// The fields of rows that are elements of a vector, which must outlive the table.
template <typename Row>
auto fields_of(const std::vector<Row>& rows) {
    return TableFields([&rows] { return rows.size(); }, [&rows](std::size_t row) -> const Row& { return rows[row]; });
}

}  // namespace snapviewer::query
