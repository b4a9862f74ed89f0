#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/query/database.h"

/// Operations on query results for the query pane, without drawing. Independent of ImGui.
namespace snapviewer {

bool is_number_cell(const Cell& cell);

/// "NULL", the digits of a number, or the text itself.
std::string cell_text(const Cell& cell);

/// The beginning of a text's first line, at most `limit` bytes, cut between characters; "..." marks omitted text.
std::string one_line(std::string_view text, std::size_t limit);

/// The beginning of a text that fits into `rows` rows of `row_bytes` bytes; a long line takes several rows. Cuts between
/// characters. If text is omitted, one more row says so.
std::string first_rows(std::string_view text, std::size_t rows, std::size_t row_bytes);

/// one_line() of a cell. For a call stack, the first line with a known file, because the innermost frames mostly have none.
std::string cell_line(const Cell& cell, std::size_t limit);

/// True if a column with this name contains bytes: size, size_bytes, total_bytes, allocated_size and so on.
bool is_size_column(std::string_view name);

/// Row numbers sorted by one column: NULL first, then numbers by value, then text. Stable.
std::vector<std::uint32_t> sorted_rows(const query::QueryResult& result, std::size_t column, bool descending);
std::vector<std::uint32_t> unsorted_rows(const query::QueryResult& result);

/// One row with tabs between its cells. Tabs and line breaks within a cell become spaces.
std::string row_as_tsv(const query::QueryResult& result, std::size_t row);
/// Rows in this order, below a line of column names.
std::string rows_as_tsv(const query::QueryResult& result, const std::vector<std::uint32_t>& order);
/// The first rows of `order` that fit into the limit of the clipboard, limits::k_max_clipboard_bytes.
std::vector<std::uint32_t> rows_to_copy(const query::QueryResult& result, const std::vector<std::uint32_t>& order);
/// A copy of the result with its rows in this order.
query::QueryResult reordered(const query::QueryResult& result, const std::vector<std::uint32_t>& order);

/// Text formats for exporting a result.
enum class ResultFormat : std::uint8_t { csv, json, markdown };
/// Rows in this order as text. In Markdown each cell is one line, and numbers are right-aligned.
std::string result_text(const query::QueryResult& result, const std::vector<std::uint32_t>& order, ResultFormat format);

/// The object of the timeline that a result row refers to.
struct RowTarget {
    std::optional<std::int64_t> allocation_row = {};  ///< a value of allocations.id
    std::optional<std::int64_t> allocs_index = {};    ///< a value of allocs.idx
};

/// Finds the target of a row by the origin of its columns, independent of their names in the query: `allocations.id`,
/// `allocation_id` of any built-in table, or `allocs.idx`. A computed column counts if it is named `allocation_id` or `idx`.
/// Uses the first such column that contains a number.
RowTarget row_target(const query::QueryResult& result, std::size_t row);

/// A position in a text of several lines; line and column start at 1, and columns count characters.
struct TextPlace {
    std::size_t line = 1;
    std::size_t column = 1;
    std::string line_text;  ///< the line without its line break
};
TextPlace place_in_text(std::string_view text, std::size_t offset);

}  // namespace snapviewer
