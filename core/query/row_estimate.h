#pragma once

#include <cstddef>

#include "core/query/row_filter.h"
#include "core/query/table.h"

namespace snapviewer {

/// Estimates how many rows of a table a query tests and how many pass. Accurate enough for SQLite to order joins well and to
/// decide when the branches of an OR are better run separately. The compared values are not known at this point.
class RowEstimate {
public:
    explicit RowEstimate(std::size_t rows);

    /// Adds a comparison that rows have to pass. Samples some of the column's values, which takes microseconds.
    void narrow(const Column& column, ConstraintOperator comparison);

    double found() const { return found_; }
    /// Cost of testing rows, plus 1 for each row that passes, which is SQLite's cost of processing it.
    double cost() const;
    /// Cost of sorting the rows that pass. SQLite reads the branches of an OR in no order and then sorts all columns of the
    /// result itself. SQLite does not say whether a single comparison is such a branch, so `may_be_part_of_or` says if it
    /// can be one.
    double order_cost(bool may_be_part_of_or) const;

private:
    std::size_t rows_;
    double scanned_;
    double found_;
    bool is_of_lasting_ = false;  ///< True after a comparison of a column that has a lasting_share
};

}  // namespace snapviewer
