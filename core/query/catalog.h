#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/query/added_tables.h"
#include "core/query/database.h"
#include "core/query/derived.h"
#include "core/query/table.h"
#include "core/timeline/timeline.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// The data of the tables. Must outlive them.
struct CatalogSource {
    CatalogSource(std::shared_ptr<const Snapshot> the_snapshot, std::vector<std::shared_ptr<const Timeline>> the_timelines);

    /// A row of a table that lists all devices, as device and row of that device.
    struct Place {
        std::size_t device_index;
        std::size_t row;
    };
    /// `ends[d]`: rows of the devices up to and including d.
    static Place locate(const std::vector<std::size_t>& ends, std::size_t row);
    static std::size_t first_row(const std::vector<std::size_t>& ends, std::size_t device_index) {
        return device_index == 0 ? 0 : ends[device_index - 1];
    }
    /// The order of a column of device numbers. Rows come device by device, and host memory comes last although its number
    /// is negative.
    ColumnOrder device_order() const;
    /// The order of the steps at which allocations begin, over all devices.
    ColumnOrder start_order() const;
    /// The share of allocations that live at one moment, at most.
    double most_live_share() const;

    std::shared_ptr<const Snapshot> snapshot;
    std::vector<std::shared_ptr<const Timeline>> timelines;
    std::size_t allocs_device = 0;
    std::vector<std::size_t> event_ends;
    std::vector<std::size_t> allocation_ends;
    std::vector<std::size_t> tick_ends;
    std::vector<std::uint32_t> stack_frame_ends;  ///< frames of stacks 0 .. i
    std::vector<std::uint32_t> block_segments;    ///< segment of each block

    std::shared_ptr<Dictionary> strings;  ///< code = StringId
    std::shared_ptr<Dictionary> stacks;   ///< code = StackId
    std::shared_ptr<Dictionary> frames;   ///< code = FrameId
    std::shared_ptr<Dictionary> pools;    ///< code = index into Snapshot::pools
    std::shared_ptr<Dictionary> actions;  ///< code = Action
    std::shared_ptr<DerivedRows> derived;
};

/// The schema, described once: SQLite's tables, the schema browser and docs/sql.md all come from it.
std::vector<Table> make_tables(const CatalogSource& source, const std::vector<AddedColumn>& added = {});

std::vector<Table> trace_tables(const CatalogSource& source);    ///< allocs, allocations, events
std::vector<Table> stack_tables(const CatalogSource& source);    ///< stacks, stack_frames, frames
std::vector<Table> memory_tables(const CatalogSource& source);   ///< segments, blocks, totals, memory_curves
std::vector<Table> derived_tables(const CatalogSource& source);  ///< markers, ranges, pending_frees, pools, streams
std::vector<Table> file_tables(const CatalogSource& source);     ///< devices, annotations, settings, import_log

std::vector<TableDoc> describe(const std::vector<Table>& tables);

/// Makes columns; `read` maps a row to an std::optional<std::int64_t>, an integer or a code of the dictionary.
template <typename Read>
Column integer_column(std::string name, std::string doc, Read read, ColumnOrder order = ColumnOrder::none) {
    const auto read_many = [read](std::span<const std::size_t> rows, std::span<std::optional<std::int64_t>> values) {
        for (std::size_t i = 0; i < rows.size(); ++i) values[i] = read(rows[i]);
    };
    return {std::move(name), std::move(doc), order, std::move(read), {}, nullptr, read_many};
}
/// As the function above, for the column of an end; `lasting_share` is the share of rows without an end.
template <typename Read>
Column end_column(std::string name, std::string doc, Read read, double lasting_share) {
    Column column = integer_column(std::move(name), std::move(doc), std::move(read));
    column.lasting_share = lasting_share;
    return column;
}
Column text_column(std::string name, std::string doc, std::shared_ptr<Dictionary> dictionary,
                   std::function<std::uint32_t(std::size_t)> read);
/// The number of the row itself, for tables whose rows are known by number.
Column row_number_column(std::string name, std::string doc);

/// A dictionary of a few texts made once.
std::shared_ptr<Dictionary> make_list_dictionary(std::vector<std::string> texts);
/// A dictionary whose texts are made each time they are asked for.
std::shared_ptr<Dictionary> make_function_dictionary(std::function<std::size_t()> size,
                                                     std::function<std::string(std::uint32_t code)> text);

/// SQLite has no unsigned integers: addresses from 2^63 on come out negative.
constexpr std::int64_t to_sql(std::uint64_t value) { return static_cast<std::int64_t>(value); }
constexpr std::optional<std::int64_t> optional_to_sql(std::optional<std::uint64_t> value) {
    return value ? std::optional(to_sql(*value)) : std::nullopt;
}
constexpr std::optional<std::int64_t> time_to_sql(std::int64_t time_us) {
    return time_us == k_no_time ? std::nullopt : std::optional(time_us);
}

constexpr std::optional<std::int64_t> stack_to_sql(StackId id) {
    return id.is_some() ? std::optional(std::int64_t{id.value}) : std::nullopt;
}

}  // namespace snapviewer
