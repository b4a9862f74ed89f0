#pragma once

#include <string>
#include <vector>

struct sqlite3_stmt;

namespace snapviewer {

/// An instruction of SQLite's virtual machine: https://sqlite.org/opcode.html
struct Instruction {
    std::string name;
    int p1 = 0, p2 = 0, p3 = 0;
    std::string p4;
};

/// What a statement does, if it walks once over the rows of one virtual table and opens no other.
struct LoopProgram {
    std::vector<Instruction> all;
    std::size_t filter = 0;  ///< where the table is asked for its rows; what is done with each row begins behind it
    std::size_t next = 0;    ///< where the way leads back there; behind it lies what is done after the last row

    int cursor() const { return all[filter].p1; }
};

/// `explain` is EXPLAIN of the statement with the same values of its parameters; it is stepped to its end. No instructions
/// where there is no such walk.
LoopProgram read_loop_program(sqlite3_stmt* explain);

/// The column that an instruction reads of the row at hand, k_row_number for the number of the row, and the register it
/// goes to; no register (-1) if it does something else.
struct ReadColumn {
    int column = 0;
    int target = -1;
};
ReadColumn column_read(const Instruction& instruction, int cursor);

}  // namespace snapviewer
