#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/query/database.h"

/// What the query pane does with a result apart from drawing it. No GUI in here.
namespace snapviewer {

bool is_number_cell(const Cell& cell);

/// "NULL", the digits of a number, or the text itself.
std::string cell_text(const Cell& cell);

/// The beginning of a text's first line, at most `limit` bytes and never half a character; with "..." where something is
/// left out.
std::string one_line(std::string_view text, std::size_t limit);

/// The beginning of a text that takes at most so many rows of so many bytes, long lines several rows; never half a
/// character. One more row says what is left out.
std::string first_rows(std::string_view text, std::size_t rows, std::size_t row_bytes);

/// one_line() of a cell; of a call stack the first line with a known file, as the innermost are mostly not.
std::string cell_line(const Cell& cell, std::size_t limit);

/// Whether a column of this name holds bytes: size, size_bytes, total_bytes, allocated_size ...
bool is_size_column(std::string_view name);

/// Row numbers in the order of one column: NULL first, then numbers by value, then text; equal rows keep their order.
std::vector<std::uint32_t> sorted_rows(const QueryResult& result, std::size_t column, bool descending);
std::vector<std::uint32_t> unsorted_rows(const QueryResult& result);

/// One row, its cells apart by tabs. Tabs and line ends within a cell become spaces.
std::string row_as_tsv(const QueryResult& result, std::size_t row);
/// With a line of column names.
std::string rows_as_tsv(const QueryResult& result, const std::vector<std::uint32_t>& order);
/// The first of these rows, as many as may go to the clipboard: limits::k_most_copied_bytes.
std::vector<std::uint32_t> rows_to_copy(const QueryResult& result, const std::vector<std::uint32_t>& order);
/// The rows of a result in another order.
QueryResult reordered(const QueryResult& result, const std::vector<std::uint32_t>& order);

/// How the rows are written for another program.
enum class ResultFormat : std::uint8_t { csv, json, markdown };
/// Rows in this order. In Markdown a cell is one line, and numbers stand at the right.
std::string result_text(const QueryResult& result, const std::vector<std::uint32_t>& order, ResultFormat format);

/// What a row stands for in the timeline.
struct RowTarget {
    std::optional<std::int64_t> allocation_row = {};  ///< a value of allocations.id
    std::optional<std::int64_t> allocs_index = {};    ///< a value of allocs.idx
};

/// Goes by what the columns are, whatever the query calls them: `allocations.id`, `allocation_id` of any table of ours,
/// `allocs.idx`. What was computed counts by its name, `allocation_id` or `idx`. The first that holds a number.
RowTarget row_target(const QueryResult& result, std::size_t row);

/// A place in a text of several lines, both from 1; columns count characters.
struct TextPlace {
    std::size_t line = 1;
    std::size_t column = 1;
    std::string line_text;  ///< the line without its end
};
TextPlace place_in_text(std::string_view text, std::size_t offset);

}  // namespace snapviewer
