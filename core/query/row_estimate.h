#pragma once

#include <cstddef>

#include "core/query/row_filter.h"
#include "core/query/table.h"

namespace snapviewer {

/// How many rows of a table are looked at and how many of them come out, roughly: enough for SQLite to order joins well and
/// to tell when the parts of an OR are better asked one by one. The values to compare with are not known.
class RowEstimate {
public:
    explicit RowEstimate(std::size_t rows);

    /// Leaves rows that pass one more comparison. Looks at some of the column's values: microseconds.
    void narrow(const Column& column, ConstraintOperator comparison);

    double found() const { return found_; }
    /// Of looking and of what SQLite does with the rows that come out, which is 1 for each.
    double cost() const;
    /// Of putting those that come out in order. Parts of an OR come to SQLite in none, which sorts all columns that it
    /// shows; a comparison alone may be such a part, as SQLite does not tell.
    double order_cost(bool may_be_part_of_or) const;

private:
    std::size_t rows_;
    double scanned_;
    double found_;
    bool is_of_lasting_ = false;  ///< compared with a column that has a lasting_share
};

}  // namespace snapviewer
