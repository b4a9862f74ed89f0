#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/query/loop_program.h"

namespace snapviewer {

/// Each of our tables has a column of this name behind all others, hidden from "*", that is 1 in every row: a sum of it
/// counts rows.
inline constexpr std::string_view k_group_rows_column = "group_rows";

/// One value that SQLite reads of a row, to group rows by it or to make one value of all that are in a group.
struct GroupRead {
    enum class Use : unsigned char { key, sum, min, max };
    Use use = Use::key;
    int column = 0;  ///< SQLite's number

    friend bool operator==(const GroupRead&, const GroupRead&) = default;
};

/// What SQLite reads of each row, in this order, where it does nothing with a row but adding it to its group. It is then all
/// the same to SQLite whether a group comes as many rows, or as one that has the sums, the least and the greatest values of
/// them.
struct GroupPlan {
    std::vector<GroupRead> reads;  ///< none if a statement does anything else
    int key = -1;                  ///< SQLite's number of the column that rows are grouped by; -1 if all are one group
};

GroupPlan group_plan(const LoopProgram& program);

/// The statement with a sum of ones for each count(*), which means the same: for a walk over one of our tables. A statement
/// that names the column of ones itself is left as it is.
std::string counting_by_sum(std::string_view sql);

}  // namespace snapviewer
