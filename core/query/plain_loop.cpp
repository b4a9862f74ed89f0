#include "core/query/plain_loop.h"

#include <sqlite3.h>

#include <algorithm>
#include <string>

namespace snapviewer {
namespace {

/// An instruction of SQLite's virtual machine: https://sqlite.org/opcode.html
struct Instruction {
    std::string name;
    int p1, p2, p3;
};

std::vector<Instruction> read_program(sqlite3_stmt* explain) {
    std::vector<Instruction> program;
    while (sqlite3_step(explain) == SQLITE_ROW) {
        const auto* name = reinterpret_cast<const char*>(sqlite3_column_text(explain, 1));
        program.push_back({name == nullptr ? "" : name, sqlite3_column_int(explain, 2), sqlite3_column_int(explain, 3),
                           sqlite3_column_int(explain, 4)});
    }
    return program;
}

}  // namespace

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

std::vector<int> plain_loop_columns(sqlite3_stmt* explain) {
    constexpr int k_not_handed_over = k_row_number - 1;
    const std::vector<Instruction> program = read_program(explain);
    const auto only = [&program](const char* name) {
        const bool is_there_once = std::ranges::count(program, name, &Instruction::name) == 1;
        return is_there_once ? std::ranges::find(program, name, &Instruction::name) : program.end();
    };
    const auto filter = only("VFilter");
    const auto row = only("ResultRow");
    if (only("VOpen") == program.end() || filter == program.end() || row == program.end()) return {};
    // After the row nothing but the way back to the first instruction of the loop, and after the last row the end.
    const auto loop = filter + 1;
    if (row < loop || program.end() - row < 3 || row[1].name != "VNext" || row[2].name != "Halt") return {};
    if (row[1].p1 != filter->p1 || row[1].p2 != loop - program.begin()) return {};
    std::vector<int> columns(static_cast<std::size_t>(row->p2), k_not_handed_over);
    for (auto each = loop; each != row; ++each) {
        const bool is_row_number = each->name == "Rowid";
        const int place = (is_row_number ? each->p2 : each->p3) - row->p1;
        if ((!is_row_number && each->name != "VColumn") || each->p1 != filter->p1) return {};
        if (place < 0 || place >= row->p2) return {};
        columns[static_cast<std::size_t>(place)] = is_row_number ? k_row_number : each->p2;
    }
    return std::ranges::find(columns, k_not_handed_over) == columns.end() ? columns : std::vector<int>();
}

Error too_long_value() { return {ErrorCode::bad_query, sqlite3_errstr(SQLITE_TOOBIG)}; }

}  // namespace snapviewer
