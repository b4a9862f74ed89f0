#pragma once

#include <cstddef>
#include <vector>

#include "core/query/database.h"
#include "core/query/loop_program.h"
#include "core/query/virtual_table.h"

namespace snapviewer {

/// The rest of a statement that stands at its first row and from there only goes from row to row of one table, handing
/// over some of its columns. Whoever has one need not ask SQLite for each row and each value; conditions and the order of
/// the rows are the cursor's. Every column has been prepared: SQLite has read the first row.
struct PlainLoop {
    RowWalk& walk;
    std::vector<const Column*> columns;  ///< in the order of the result
    std::size_t longest_text_bytes;      ///< that a value may have

    /// The value of a column of the result. False if it is too long.
    bool read(std::size_t column, std::size_t row, Cell& cell) const;
};

/// Which columns of a table a statement hands over in such a loop, k_row_number for the number of the row; none if it does
/// anything else.
std::vector<int> plain_loop_columns(const LoopProgram& program);

/// What SQLite says of a value that is longer than it may be.
Error too_long_value();

}  // namespace snapviewer
