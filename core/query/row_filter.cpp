#include "core/query/row_filter.h"

#include <sqlite3.h>

#include <cmath>

#include "core/query/query_control.h"
#include "core/sqlite/bounded_functions.h"

namespace snapviewer {
namespace {

// 2^63. A double from -2^63 to below 2^63 fits into a 64-bit integer.
constexpr double k_too_high = 9223372036854775808.0;

/// Returns the integers at or above `bound`, which is a whole number.
Interval from(double bound) {
    if (bound >= k_too_high) return Interval::none();
    if (bound < -k_too_high) return {};
    return {.low = static_cast<std::int64_t>(bound)};
}

/// Returns the integers at or below `bound`, which is a whole number.
Interval up_to(double bound) {
    if (bound < -k_too_high) return Interval::none();
    if (bound >= k_too_high) return {};
    return {.high = static_cast<std::int64_t>(bound)};
}

/// Returns the integers below `bound`. Subtracts 1 from the integer limit, not from the double, because large doubles cannot
/// represent every integer.
Interval below(double bound) {
    Interval interval = up_to(std::ceil(bound));
    if (bound > -k_too_high && bound < k_too_high) --interval.high;
    return bound <= -k_too_high ? Interval::none() : interval;
}

Interval above(double bound) {
    Interval interval = from(std::floor(bound));
    if (bound >= -k_too_high && bound < k_too_high) ++interval.low;
    return interval;
}

Interval interval_of_integer(ConstraintOperator comparison, std::int64_t value) {
    constexpr std::int64_t k_min = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t k_max = std::numeric_limits<std::int64_t>::max();
    switch (comparison) {
        case ConstraintOperator::equal: return {value, value};
        case ConstraintOperator::less: return value == k_min ? Interval::none() : Interval{.high = value - 1};
        case ConstraintOperator::at_most: return {.high = value};
        case ConstraintOperator::greater: return value == k_max ? Interval::none() : Interval{.low = value + 1};
        default: return {.low = value};
    }
}

Interval interval_of_real(ConstraintOperator comparison, double value) {
    switch (comparison) {
        case ConstraintOperator::equal: {
            const bool is_integer = value == std::floor(value) && value >= -k_too_high && value < k_too_high;
            return is_integer ? Interval{static_cast<std::int64_t>(value), static_cast<std::int64_t>(value)}
                              : Interval::none();
        }
        case ConstraintOperator::less: return below(value);
        case ConstraintOperator::at_most: return up_to(std::floor(value));
        case ConstraintOperator::greater: return above(value);
        default: return from(std::ceil(value));
    }
}

}  // namespace

Interval interval_of(ConstraintOperator comparison, sqlite3_value* value) {
    switch (sqlite3_value_numeric_type(value)) {
        case SQLITE_INTEGER: return interval_of_integer(comparison, sqlite3_value_int64(value));
        case SQLITE_FLOAT: return interval_of_real(comparison, sqlite3_value_double(value));
        case SQLITE_NULL: return Interval::none();
        default:  // SQLite sorts text and blobs after all numbers
            return comparison == ConstraintOperator::less || comparison == ConstraintOperator::at_most ? Interval{}
                                                                                                       : Interval::none();
    }
}

TextMatch::TextMatch(std::shared_ptr<Dictionary> dictionary, ConstraintOperator comparison, std::string pattern,
                     QueryControl& control)
    : dictionary_(std::move(dictionary)),
      comparison_(comparison),
      pattern_(std::move(pattern)),
      control_(control),
      verdicts_(dictionary_->size(), Verdict::unknown) {}

void TextMatch::look_at(std::uint32_t code) {
    const bool is_match = matches(code);
    // An interrupted comparison has no result, so the next query compares again.
    if (!control_.must_end()) verdicts_[code] = is_match ? Verdict::yes : Verdict::no;
}

bool TextMatch::matches(std::uint32_t code) {
    scratch_ = dictionary_->text(code).text;
    if (comparison_ == ConstraintOperator::equal) return scratch_ == pattern_;
    return comparison_ == ConstraintOperator::glob ? is_glob(scratch_, pattern_, control_)
                                                   : is_like(scratch_, pattern_, 0, control_);
}

void ColumnTest::keep_accepted(std::vector<std::size_t>& rows, std::vector<std::optional<std::int64_t>>& values) const {
    if (column->is_text()) {
        std::erase_if(rows, [this](std::size_t row) { return !accepts_text(row); });
        return;
    }
    values.resize(rows.size());
    column->read(rows, values);
    // Branch-free, because the CPU would mispredict a branch here as often as not.
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[kept] = rows[i];
        kept += wants_null ? !values[i] : values[i] && interval.contains(*values[i]);
    }
    rows.resize(kept);
}

bool ColumnTest::accepts_text(std::size_t row) const {
    const std::uint32_t code = column->code(row);
    if (code == k_null_code || wants_null) return wants_null && code == k_null_code;
    return !match || match->accepts(code);
}

}  // namespace snapviewer
