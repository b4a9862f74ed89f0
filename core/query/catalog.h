#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/query/database.h"
#include "core/query/derived_tables.h"
#include "core/query/table.h"
#include "core/timeline/timeline.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

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
    /// Order of a column of device numbers. Rows are sorted by device index, and host memory comes last although its device
    /// number is negative.
    ColumnOrder device_order() const;
    /// Order of a column of the steps at which allocations begin. ColumnOrder::none for several devices. O(allocations).
    ColumnOrder start_order() const;
    /// Maximum share of all allocations that are live at the same time.
    double most_live_share() const;

    std::shared_ptr<const Snapshot> snapshot;
    std::vector<std::shared_ptr<const Timeline>> timelines;
    std::size_t allocs_device = 0;
    std::vector<std::size_t> event_ends;
    std::vector<std::size_t> allocation_ends;
    std::vector<std::size_t> tick_ends;
    std::vector<std::uint32_t> stack_frame_ends;  ///< Element i: number of frames of stacks 0 to i
    std::vector<std::uint32_t> block_segments;    ///< Segment index of each block

    std::shared_ptr<Dictionary> strings;  ///< All strings of the file; a code is a StringId
    std::shared_ptr<Dictionary> stacks;   ///< Texts of call stacks; a code is a StackId
    std::shared_ptr<Dictionary> frames;   ///< Texts of frames; a code is a FrameId
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

std::vector<TableDoc> describe(const std::vector<Table>& tables);

/// Creates an integer column. `read` maps a row number to an integer or to a std::optional<std::int64_t>.
template <typename Read>
Column integer_column(std::string name, std::string doc, Read read, ColumnOrder order = ColumnOrder::none) {
    const auto read_many = [read](std::span<const std::size_t> rows, std::span<std::optional<std::int64_t>> values) {
        for (std::size_t i = 0; i < rows.size(); ++i) values[i] = read(rows[i]);
    };
    return {std::move(name), std::move(doc), order, std::move(read), {}, nullptr, read_many};
}
/// Creates an integer column that says when the object of a row ends, for example free_step. `lasting_share` becomes
/// Column::lasting_share.
template <typename Read>
Column end_column(std::string name, std::string doc, Read read, double lasting_share) {
    Column column = integer_column(std::move(name), std::move(doc), std::move(read));
    column.lasting_share = lasting_share;
    return column;
}
Column text_column(std::string name, std::string doc, std::shared_ptr<Dictionary> dictionary,
                   std::function<std::uint32_t(std::size_t)> read);
/// Creates a column that holds the row number, for tables whose rows are identified by their number.
Column row_number_column(std::string name, std::string doc);

/// Creates a dictionary that stores a few texts; the code is the index.
std::shared_ptr<Dictionary> make_list_dictionary(std::vector<std::string> texts);
/// Creates a dictionary that computes a text on every access. `size` returns the number of codes.
std::shared_ptr<Dictionary> make_function_dictionary(std::function<std::size_t()> size,
                                                     std::function<std::string(std::uint32_t code)> text);

/// Converts to a signed SQLite integer. Addresses from 2^63 on become negative.
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

/// Returns the text of docs/sql.md: every table, column and function, generated from the same description that creates the
/// tables. `added` are the tables and columns that are not part of the file itself, such as the analyses.
std::string schema_markdown(const AddedTables& added);

}  // namespace snapviewer
