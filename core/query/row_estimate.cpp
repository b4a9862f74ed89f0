#include "core/query/row_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace snapviewer {
namespace {

/// Testing a row in a block takes about 3 ns. SQLite takes about 90 ns to process a row that passes; that is cost 1.
constexpr double k_cost_of_a_test = 0.03;
constexpr double k_cost_of_our_sort = 0.5;
constexpr double k_cost_of_sqlites_sort = 3;  // per row, times log2 of the number of rows, as in SQLite's own estimates
constexpr double k_share_of_range = 1.0 / 4;
constexpr double k_share_of_equal = 1.0 / 20;
constexpr std::size_t k_sampled_rows = 64;

/// Estimates the share of rows that pass an equality test by the probability that two rows hold the same value. Samples rows
/// that are spread evenly.
double share_of_equal(const Column& column, std::size_t rows) {
    if (column.is_text() || column.prepare) return k_share_of_equal;
    std::vector<std::optional<std::int64_t>> values;
    const std::size_t step = std::max<std::size_t>(1, rows / k_sampled_rows);
    for (std::size_t row = step / 2; row < rows; row += step) values.push_back(column.integer(row));
    std::ranges::sort(values);
    double pairs = 0;
    for (auto first = values.begin(); first != values.end();) {
        const auto next = std::upper_bound(first, values.end(), *first);
        const auto count = static_cast<double>(next - first);
        pairs += count * count;
        first = next;
    }
    const auto all = static_cast<double>(values.size());
    return values.empty() ? 1 : pairs / (all * all);
}

/// True if the comparison asks for rows whose objects end after some moment or never. Such queries also ask for objects that
/// have begun, in another comparison or in another branch of an OR, so lasting_share applies.
bool is_lasting_beyond(const Column& column, ConstraintOperator comparison) {
    return column.lasting_share > 0 &&
           (comparison == ConstraintOperator::null || comparison == ConstraintOperator::greater ||
            comparison == ConstraintOperator::at_least);
}

}  // namespace

RowEstimate::RowEstimate(std::size_t rows)
    : rows_(rows), scanned_(std::max(1.0, static_cast<double>(rows))), found_(scanned_) {}

void RowEstimate::narrow(const Column& column, ConstraintOperator comparison) {
    const bool is_equal = comparison == ConstraintOperator::equal;
    double share = k_share_of_range;
    if (is_equal) share = column.order == ColumnOrder::row_number ? 1 / scanned_ : share_of_equal(column, rows_);
    if (is_lasting_beyond(column, comparison)) {
        share = column.lasting_share;
        is_of_lasting_ = true;
    }
    if (column.order != ColumnOrder::none) scanned_ = std::max(1.0, scanned_ * share);
    found_ = std::min(scanned_, std::max(1.0, found_ * share));
}

double RowEstimate::cost() const { return 1 + scanned_ * k_cost_of_a_test + found_; }

double RowEstimate::order_cost(bool may_be_part_of_or) const {
    if (may_be_part_of_or && is_of_lasting_) return found_ * k_cost_of_sqlites_sort * std::log2(found_ + 1);
    return found_ * k_cost_of_our_sort;
}

}  // namespace snapviewer
