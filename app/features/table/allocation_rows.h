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

#include "core/base/number_range.h"
#include "core/query/database.h"
#include "core/timeline/emphasis.h"
#include "core/timeline/timeline.h"

/// The allocations of a picture as the rows of a table, in any order. No GUI in here.
namespace snapviewer {

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
    const char* sql_name;  ///< as in the SQL table `allocations`, where that has it
    bool is_text;
    Measure measure;  ///< of a number
    const char* doc;
    float width_px;          ///< in the table, at scale 1
    bool is_hidden = false;  ///< there until the user wants it
};
std::span<const AllocationColumnInfo, k_allocation_columns> allocation_columns();
inline const AllocationColumnInfo& info_of(AllocationColumn column) {
    return allocation_columns()[static_cast<std::size_t>(column)];
}

/// What each column holds. Immutable once made; safe to read from many threads.
class AllocationRows {
public:
    /// `first_id` is what column `id` gives for the first one. Names all stacks: a few microseconds each.
    AllocationRows(std::shared_ptr<const Timeline> timeline, std::int64_t first_id);

    const Timeline& timeline() const { return *timeline_; }

    /// Of a column of numbers; nullopt where the file does not know. Times count from the left edge, in microseconds.
    std::optional<std::uint64_t> number(AllocationColumn column, AllocationId id) const;
    /// Of a column of texts: the same for all rows with the same text of one kind, k_no_text where there is none.
    std::uint32_t text_code(AllocationColumn column, AllocationId id) const;
    std::string_view text(AllocationColumn column, std::uint32_t code) const;
    static constexpr std::uint32_t k_no_text = 0xFFFF'FFFF;

    /// For the screen: "1.5 MiB", "0x7f3c00000000"; empty where the file does not know.
    std::string shown(AllocationColumn column, AllocationId id) const;
    /// As SQL gives it: times since 1970, addresses from 2^63 on negative.
    Cell value(AllocationColumn column, AllocationId id) const;

private:
    std::optional<std::uint64_t> time_us(EventId event) const;

    std::shared_ptr<const Timeline> timeline_;
    std::int64_t first_id_;
    std::vector<std::string> pools_;
    std::vector<std::string> stack_names_;      ///< of those in use
    std::vector<std::uint32_t> name_of_stack_;  ///< by stack; the last two are k_before_recording and none()
};

/// Which rows a table shows, and in which order.
struct RowArrangement {
    AllocationColumn sorted_by = AllocationColumn::size;
    bool is_descending = true;
    /// By column; empty lets everything through. Numbers as parse_number_range() reads them, of an address what held it;
    /// texts as contains_pattern().
    std::array<std::string, k_allocation_columns> filters = {};
    std::shared_ptr<const Emphasis> among = {};  ///< these alone; null for all

    bool operator==(const RowArrangement&) const = default;
};

/// Whether a filter means something; otherwise it lets everything through.
bool is_filter(AllocationColumn column, std::string_view text);

struct ArrangedRows {
    std::vector<std::uint32_t> ids;
    std::uint64_t bytes = 0;  ///< of them together
};

/// Rows that are equal come in drawing order, those without a value first, as in SQL (last when descending). Throws
/// stopped(). O(n log n): a million in some 300 ms.
ArrangedRows arrange_rows(const AllocationRows& rows, const RowArrangement& arrangement);

/// What of a table is written, as the SQL table `allocations` names and tells it.
using ChosenColumns = std::array<bool, k_allocation_columns>;
/// Passes the rows to `sink` until it returns false. Throws stopped().
void write_rows(const AllocationRows& rows, std::span<const std::uint32_t> ids, const ChosenColumns& columns, RowSink& sink);
/// Cells separated by tabs, with a line of names. Throws stopped().
std::string rows_as_tsv(const AllocationRows& rows, std::span<const std::uint32_t> ids, const ChosenColumns& columns);

}  // namespace snapviewer
