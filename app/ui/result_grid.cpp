#include "app/ui/result_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <numeric>
#include <utility>

#include "core/base/budget.h"

namespace snapviewer {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) >> 6) == 2; }

double number_of(const Cell& cell) {
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
    return std::get<double>(cell);
}

/// Sort rank of a cell's type as in SQLite: NULL, then numbers, then text.
int rank_of(const Cell& cell) {
    if (std::holds_alternative<std::monostate>(cell)) return 0;
    return std::holds_alternative<std::string>(cell) ? 2 : 1;
}

bool is_less(const Cell& a, const Cell& b) {
    if (rank_of(a) != rank_of(b)) return rank_of(a) < rank_of(b);
    if (rank_of(a) == 0) return false;
    if (rank_of(a) == 2) return std::get<std::string>(a) < std::get<std::string>(b);
    const auto* a_integer = std::get_if<std::int64_t>(&a);
    const auto* b_integer = std::get_if<std::int64_t>(&b);
    // Addresses need all 64 bits, which a double does not have.
    if (a_integer != nullptr && b_integer != nullptr) return *a_integer < *b_integer;
    return number_of(a) < number_of(b);
}

/// True if the column contains ids of allocations. A column of a table is judged by its origin, a computed column by its
/// name.
bool holds_allocation_ids(const std::string& name, const query::ColumnOrigin& origin) {
    if (origin.table.empty()) return name == "allocation_id";
    const bool is_ours = origin.table.find('.') == std::string::npos;
    return is_ours && (origin == query::ColumnOrigin{"allocations", "id"} || origin.column == "allocation_id");
}

bool holds_allocs_indices(const std::string& name, const query::ColumnOrigin& origin) {
    return origin.table.empty() ? name == "idx" : origin == query::ColumnOrigin{"allocs", "idx"};
}

/// The row's first integer in a column for which `is_meant` returns true.
std::optional<std::int64_t> integer_in(const query::QueryResult& result, std::size_t row,
                                       bool (*is_meant)(const std::string&, const query::ColumnOrigin&)) {
    for (std::size_t column = 0; column < result.columns.size(); ++column) {
        const auto* integer = std::get_if<std::int64_t>(&result.cell(row, column));
        if (integer != nullptr && is_meant(result.columns[column], result.origins[column])) return *integer;
    }
    return std::nullopt;
}

void append_row(std::string& text, const query::QueryResult& result, std::size_t row) {
    for (std::size_t column = 0; column < result.columns.size(); ++column) {
        if (column > 0) text += '\t';
        for (const char c : cell_text(result.cell(row, column))) text += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
    }
}

void append_markdown(std::string& text, std::string_view cell) {
    text += "| ";
    for (const char c : cell) {
        if (c == '|') text += '\\';
        text += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
    }
    text += ' ';
}

std::string rows_as_markdown(const query::QueryResult& result, const std::vector<std::uint32_t>& order) {
    std::string text;
    for (const std::string& column : result.columns) append_markdown(text, column);
    text += "|\n";
    for (std::size_t column = 0; column < result.columns.size(); ++column) {
        const bool is_right = !order.empty() && is_number_cell(result.cell(order.front(), column));
        text += is_right ? "| ---: " : "| --- ";
    }
    text += "|\n";
    for (const std::uint32_t row : order) {
        for (std::size_t column = 0; column < result.columns.size(); ++column)
            append_markdown(text, cell_text(result.cell(row, column)));
        text += "|\n";
    }
    return text;
}

}  // namespace

bool is_number_cell(const Cell& cell) {
    return std::holds_alternative<std::int64_t>(cell) || std::holds_alternative<double>(cell);
}

std::string cell_text(const Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
    if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
    return "NULL";
}

std::string one_line(std::string_view text, std::size_t limit) {
    std::size_t length = std::min(text.find_first_of("\r\n"), text.size());
    if (length > limit) {
        length = limit;
        while (length > 0 && is_continuation(text[length])) --length;
    }
    std::string line(text.substr(0, length));
    if (length < text.size()) line += " ...";
    return line;
}

std::string first_rows(std::string_view text, std::size_t rows, std::size_t row_bytes) {
    std::size_t end = 0;
    for (std::size_t room = rows; room > 0 && end < text.size();) {
        const std::size_t line_end = std::min(text.find('\n', end), text.size());
        const std::size_t taken = std::max<std::size_t>((line_end - end + row_bytes - 1) / row_bytes, 1);
        if (taken > room) {
            end += room * row_bytes;
            while (end > 0 && is_continuation(text[end])) --end;
            break;
        }
        room -= taken;
        end = std::min(line_end + 1, text.size());
    }
    std::string beginning(text.substr(0, end));
    if (end == text.size()) return beginning;
    if (!beginning.ends_with('\n')) beginning += '\n';
    return beginning + fmt::format("... and {} more characters",
                                   std::ranges::count_if(text.substr(end), [](char c) { return !is_continuation(c); }));
}

std::string cell_line(const Cell& cell, std::size_t limit) {
    // a pointer, because the text may be long and this runs in every frame
    const auto* whole = std::get_if<std::string>(&cell);
    const std::string made = whole == nullptr ? cell_text(cell) : "";
    const std::string_view text = whole == nullptr ? made : *whole;
    std::string_view rest = text;
    while (rest.starts_with("??:") && rest.find('\n') != std::string_view::npos) rest.remove_prefix(rest.find('\n') + 1);
    if (rest.size() == text.size() || rest.starts_with("??:")) return one_line(text, limit);
    return "... " + one_line(rest, limit);
}

bool is_size_column(std::string_view name) {
    constexpr std::array<std::string_view, 6> k_names = {"size", "bytes", "allocated", "reserved", "peak", "total"};
    const std::size_t last = name.find_last_of("_ ");
    const std::string_view word = last == std::string_view::npos ? name : name.substr(last + 1);
    return std::find(k_names.begin(), k_names.end(), word) != k_names.end();
}

std::vector<std::uint32_t> unsorted_rows(const query::QueryResult& result) {
    std::vector<std::uint32_t> rows(result.row_count());
    std::iota(rows.begin(), rows.end(), 0U);
    return rows;
}

std::vector<std::uint32_t> sorted_rows(const query::QueryResult& result, std::size_t column, bool descending) {
    std::vector<std::uint32_t> rows = unsorted_rows(result);
    std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) {
        return descending ? is_less(result.cell(b, column), result.cell(a, column))
                          : is_less(result.cell(a, column), result.cell(b, column));
    });
    return rows;
}

std::string row_as_tsv(const query::QueryResult& result, std::size_t row) {
    std::string text;
    append_row(text, result, row);
    return text;
}

std::string rows_as_tsv(const query::QueryResult& result, const std::vector<std::uint32_t>& order) {
    std::string text;
    for (std::size_t column = 0; column < result.columns.size(); ++column) {
        if (column > 0) text += '\t';
        text += result.columns[column];
    }
    text += '\n';
    for (const std::uint32_t row : order) {
        append_row(text, result, row);
        text += '\n';
    }
    return text;
}

std::vector<std::uint32_t> rows_to_copy(const query::QueryResult& result, const std::vector<std::uint32_t>& order) {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (bytes > limits::k_max_clipboard_bytes) return {order.begin(), order.begin() + static_cast<std::ptrdiff_t>(i)};
        for (std::size_t column = 0; column < result.columns.size(); ++column) {
            const auto* text = std::get_if<std::string>(&result.cell(order[i], column));
            bytes += text == nullptr ? sizeof(Cell) : text->size();
        }
    }
    return order;
}

query::QueryResult reordered(const query::QueryResult& result, const std::vector<std::uint32_t>& order) {
    query::QueryResult copy;
    copy.columns = result.columns;
    copy.truncated = result.truncated;
    copy.elapsed_ms = result.elapsed_ms;
    copy.cells.reserve(result.cells.size());
    for (const std::uint32_t row : order) {
        for (std::size_t column = 0; column < result.columns.size(); ++column)
            copy.cells.push_back(result.cell(row, column));
    }
    return copy;
}

std::string result_text(const query::QueryResult& result, const std::vector<std::uint32_t>& order, ResultFormat format) {
    switch (format) {
        case ResultFormat::csv: return query::format_result(reordered(result, order), query::TableFormat::csv);
        case ResultFormat::json: return query::format_result(reordered(result, order), query::TableFormat::json);
        case ResultFormat::markdown: return rows_as_markdown(result, order);
    }
    return {};
}

RowTarget row_target(const query::QueryResult& result, std::size_t row) {
    RowTarget target;
    target.allocation_row = integer_in(result, row, holds_allocation_ids);
    if (!target.allocation_row) target.allocs_index = integer_in(result, row, holds_allocs_indices);
    return target;
}

TextPlace place_in_text(std::string_view text, std::size_t offset) {
    offset = std::min(offset, text.size());
    TextPlace place;
    std::size_t line_begin = 0;
    for (std::size_t i = 0; i < offset; ++i) {
        if (text[i] != '\n') continue;
        ++place.line;
        line_begin = i + 1;
    }
    for (std::size_t i = line_begin; i < offset; ++i) {
        if (!is_continuation(text[i])) ++place.column;
    }
    place.line_text = text.substr(line_begin, std::min(text.find('\n', line_begin), text.size()) - line_begin);
    return place;
}

}  // namespace snapviewer
