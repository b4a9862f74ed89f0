#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/query/database.h"
#include "core/query/virtual_table.h"

namespace snapviewer {

/// SQLite's count(*), count(column) and so on: https://sqlite.org/lang_aggfunc.html
enum class AggregateFunction : std::uint8_t { count_rows, count, sum, min, max };

/// One value made of many rows.
struct LoopAggregate {
    AggregateFunction function = AggregateFunction::count_rows;
    int column = k_row_number;  ///< SQLite's number of what it reads; count_rows reads nothing

    friend bool operator==(const LoopAggregate&, const LoopAggregate&) = default;
};

/// Whether all of them can be read in blocks: integers that need not be worked out before.
bool can_add_up(const RowWalk& walk, std::span<const LoopAggregate> aggregates);

/// What SQLite's functions make of the rows from the one at hand on, a value for each; nothing if the query has to end. A
/// sum that is too large is an error, as it is with SQLite. Some 5 ns a row and function.
Result<std::optional<std::vector<Cell>>> add_up(RowWalk& walk, std::span<const LoopAggregate> aggregates);

}  // namespace snapviewer
