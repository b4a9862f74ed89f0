#include "core/query/plain_loop.h"

#include <sqlite3.h>

#include <algorithm>
#include <string>

namespace snapviewer {

bool PlainLoop::read(std::size_t column, std::size_t row, Cell& cell) const {
    const Column& from = *columns[column];
    cell = std::monostate();
    if (!from.is_text()) {
        if (const std::optional<std::int64_t> value = from.integer(row)) cell = *value;
    } else if (const std::uint32_t code = from.code(row); code != k_null_code) {
        const std::string_view text = from.dictionary->text(code).text;
        if (text.size() > longest_text_bytes) return false;
        cell = std::string(text);
    }
    return true;
}

std::vector<int> plain_loop_columns(const LoopProgram& program) {
    constexpr int k_not_handed_over = k_row_number - 1;
    // Behind the row nothing but the way back to the first instruction of the loop, and after the last row the end.
    const std::vector<Instruction>& all = program.all;
    if (all.empty() || program.next + 1 >= all.size() || all[program.next + 1].name != "Halt") return {};
    const Instruction& row = all[program.next - 1];
    if (row.name != "ResultRow") return {};
    std::vector<int> columns(static_cast<std::size_t>(row.p2), k_not_handed_over);
    for (std::size_t i = program.filter + 1; i + 1 < program.next; ++i) {
        const auto [column, target] = column_read(all[i], program.cursor());
        if (target < row.p1 || target >= row.p1 + row.p2) return {};
        columns[static_cast<std::size_t>(target - row.p1)] = column;
    }
    return std::ranges::find(columns, k_not_handed_over) == columns.end() ? columns : std::vector<int>();
}

Error too_long_value() { return {ErrorCode::bad_query, sqlite3_errstr(SQLITE_TOOBIG)}; }

}  // namespace snapviewer
