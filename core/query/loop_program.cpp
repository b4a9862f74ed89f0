#include "core/query/loop_program.h"

#include <sqlite3.h>

#include <algorithm>

#include "core/query/virtual_table.h"

namespace snapviewer {
namespace {

std::vector<Instruction> read_instructions(sqlite3_stmt* explain) {
    std::vector<Instruction> program;
    const auto text = [explain](int column) {
        const auto* value = reinterpret_cast<const char*>(sqlite3_column_text(explain, column));
        return std::string(value == nullptr ? "" : value);
    };
    while (sqlite3_step(explain) == SQLITE_ROW) {
        program.push_back({text(1), sqlite3_column_int(explain, 2), sqlite3_column_int(explain, 3),
                           sqlite3_column_int(explain, 4), text(5)});
    }
    return program;
}

}  // namespace

LoopProgram read_loop_program(sqlite3_stmt* explain) {
    LoopProgram program{read_instructions(explain)};
    const auto only = [&all = program.all](const char* name) {
        const bool is_there_once = std::ranges::count(all, name, &Instruction::name) == 1;
        return is_there_once ? std::ranges::find(all, name, &Instruction::name) : all.end();
    };
    const auto end = program.all.end();
    const auto filter = only("VFilter");
    const auto next = only("VNext");
    if (only("VOpen") == end || filter == end || next == end || next < filter) return {};
    program.filter = static_cast<std::size_t>(filter - program.all.begin());
    program.next = static_cast<std::size_t>(next - program.all.begin());
    if (next->p1 != filter->p1 || next->p2 != static_cast<int>(program.filter + 1)) return {};
    return program;
}

ReadColumn column_read(const Instruction& instruction, int cursor) {
    if (instruction.p1 != cursor) return {};
    if (instruction.name == "Rowid") return {k_row_number, instruction.p2};
    return instruction.name == "VColumn" ? ReadColumn{instruction.p2, instruction.p3} : ReadColumn{};
}

}  // namespace snapviewer
