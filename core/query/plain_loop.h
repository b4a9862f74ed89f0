#pragma once

#include <cstddef>
#include <vector>

#include "core/query/database.h"
#include "core/query/loop_aggregates.h"
#include "core/query/virtual_table.h"

struct sqlite3_stmt;

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

/// What a statement does with the rows of one table, if it only goes from one to the next; nothing where it does more.
/// SQLite's number of a column is k_row_number for the number of the row.
struct LoopPlan {
    /// It hands these over, in the order of the result.
    std::vector<int> columns;
    /// It adds these up and hands them over in one row, in the order of the result.
    std::vector<LoopAggregate> aggregates;
};

/// `explain` is EXPLAIN of the statement with the same values of its parameters; it is stepped to its end.
LoopPlan read_loop(sqlite3_stmt* explain);

/// What SQLite says of a value that is longer than it may be.
Error too_long_value();

}  // namespace snapviewer
