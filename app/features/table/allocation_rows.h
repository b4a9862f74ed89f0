#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/query/database.h"
#include "core/timeline/emphasis.h"
#include "core/timeline/search.h"
#include "core/timeline/timeline.h"

/// The allocations of a picture as rows of a table, in any order. No GUI dependencies.
namespace snapviewer::table {

enum class AllocationColumn : std::uint8_t {
    id,
    size,
    alloc_step,
    free_step,
    life_steps,
    alloc_time,
    free_time,
    life_time,
    address,
    stream,
    pool,
    origin,
    state,
    category,
    user_metadata,
    annotation,
    stack,
};

inline constexpr std::size_t k_allocation_columns = 17;

struct AllocationColumnInfo {
    AllocationColumn column;
    const char* title;
    const char* sql_name;  ///< name in the SQL table `allocations`, if it has this column
    bool is_text;
    Measure measure;  ///< unit of a numeric column
    const char* doc;
    float width_px;          ///< default width in the table, in pixels at scale 1
    bool is_hidden = false;  ///< hidden by default
};
std::span<const AllocationColumnInfo, k_allocation_columns> allocation_columns();
inline const AllocationColumnInfo& info_of(AllocationColumn column) {
    return allocation_columns()[static_cast<std::size_t>(column)];
}

/// Access to the cells of each column. Immutable; thread-safe.
class AllocationRows {
public:
    /// `first_id` is the value of the column `id` in the first row. Names all stacks in use: a few microseconds each.
    AllocationRows(std::shared_ptr<const Timeline> timeline, std::int64_t first_id);

    const Timeline& timeline() const { return *timeline_; }

    /// Value of a numeric column; nullopt if the file does not record it. Times are microseconds since the left edge of the
    /// picture.
    std::optional<std::uint64_t> number(AllocationColumn column, AllocationId id) const;
    /// Code of the text in a text column. Rows with the same text have the same code; k_no_text if there is no text.
    std::uint32_t text_code(AllocationColumn column, AllocationId id) const;
    std::string_view text(AllocationColumn column, std::uint32_t code) const;
    static constexpr std::uint32_t k_no_text = 0xFFFF'FFFF;

    /// Text for display: "1.5 MiB", "0x7f3c00000000"; empty if the file does not record the value.
    std::string shown(AllocationColumn column, AllocationId id) const;
    /// Value as in SQL: times are microseconds since 1970, and addresses from 2^63 are negative.
    Cell value(AllocationColumn column, AllocationId id) const;

private:
    std::optional<std::uint64_t> time_us(EventId event) const;

    std::shared_ptr<const Timeline> timeline_;
    std::int64_t first_id_;
    std::vector<std::string> pools_;
    std::vector<std::string> stack_names_;  ///< names of the stacks in use
    /// index into `stack_names_` for each stack id; two more entries, for k_before_recording and none()
    std::vector<std::uint32_t> name_of_stack_;
};

/// Filters and order of the rows in a table.
struct RowArrangement {
    AllocationColumn sorted_by = AllocationColumn::size;
    bool is_descending = true;
    /// One filter per column; an empty one accepts every row. Number filters are parsed by parse_number_range(); a single
    /// address matches the allocation that contains it. Text filters use contains_pattern().
    std::array<std::string, k_allocation_columns> filters = {};
    std::shared_ptr<const Emphasis> among = {};  ///< restricts the rows to these allocations; null for no restriction

    bool operator==(const RowArrangement&) const = default;
};

/// True if a filter is valid. An invalid filter accepts every row.
bool is_filter(AllocationColumn column, std::string_view text);

struct ArrangedRows {
    std::vector<std::uint32_t> ids;
    std::uint64_t bytes = 0;  ///< sum of the sizes of these rows
};

/// Filters and sorts the rows. Equal rows are in drawing order. Rows without a value come first, as in SQL; last if
/// descending. Throws stopped(). O(n log n): about 300 ms for a million rows.
ArrangedRows arrange_rows(const AllocationRows& rows, const RowArrangement& arrangement);

/// Columns to write, with names and values as in the SQL table `allocations`.
using ChosenColumns = std::array<bool, k_allocation_columns>;
/// Passes the rows to `sink` until it returns false. Throws stopped().
void write_rows(const AllocationRows& rows, std::span<const std::uint32_t> ids, const ChosenColumns& columns,
                query::RowSink& sink);
/// Returns the rows as tab-separated values with a header line. Throws stopped().
std::string rows_as_tsv(const AllocationRows& rows, std::span<const std::uint32_t> ids, const ChosenColumns& columns);

/// Writes the rows to a new CSV file. Throws the error if it cannot be written, and stopped().
void write_csv(const AllocationRows& rows, std::span<const std::uint32_t> ids, const ChosenColumns& columns,
               const std::string& path);

}  // namespace snapviewer::table
