#include "core/query/table.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/query/query_control.h"
#include "core/sqlite/connection.h"

namespace snapviewer::query {
namespace {

// 2^63. A double from -2^63 to below 2^63 fits into a 64-bit integer.
constexpr double k_int64_limit = 9223372036854775808.0;

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

/// Returns the integers for which a comparison with a real number holds. The next whole number above or below the real
/// number gives the same result.
Interval interval_of_real(ConstraintOperator comparison, double value) {
    const bool is_equal = comparison == ConstraintOperator::equal;
    const bool is_less = comparison == ConstraintOperator::less || comparison == ConstraintOperator::at_most;
    const bool rounds_up = comparison == ConstraintOperator::less || comparison == ConstraintOperator::at_least;
    const double whole = rounds_up ? std::ceil(value) : std::floor(value);
    if (is_equal && whole != value) return Interval::none();
    if (whole >= -k_int64_limit && whole < k_int64_limit)
        return interval_of_integer(comparison, static_cast<std::int64_t>(whole));
    const bool is_above_all = whole > 0;
    return !is_equal && is_less == is_above_all ? Interval{} : Interval::none();
}

}  // namespace

Column row_number_column(std::string name, std::string doc) {
    Column column{std::move(name), FieldUnit::id, std::move(doc), ColumnOrder::row_number};
    column.integers = [](std::span<const std::size_t> rows, std::span<std::optional<std::int64_t>> values) {
        std::ranges::copy(rows, values.begin());
    };
    return column;
}

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

void TextMatch::compare(std::uint32_t code) {
    if (!control_.must_end()) verdicts_[code] = matches(code) ? Verdict::yes : Verdict::no;
}

bool TextMatch::matches(std::uint32_t code) {
    scratch_ = dictionary_->text(code).text;
    if (comparison_ == ConstraintOperator::equal) return scratch_ == pattern_;
    return comparison_ == ConstraintOperator::glob ? sqlite::is_glob(scratch_, pattern_)
                                                   : sqlite::is_like(scratch_, pattern_);
}

void ColumnTest::keep_accepted(std::vector<std::size_t>& rows, std::vector<std::optional<std::int64_t>>& values) const {
    if (column->is_text()) {
        std::erase_if(rows, [this](std::size_t row) { return !accepts_text(row); });
        return;
    }
    values.resize(rows.size());
    column->integers(rows, values);
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

namespace {

constexpr std::size_t k_values_per_batch = 1024;
/// A query that wants less than one row in this many selects these rows before it sorts them, which is faster then.
constexpr std::size_t k_min_rows_per_picked_row = 8;

struct Keyed {
    std::uint64_t key;
    std::uint32_t row;
    std::uint32_t place;  ///< Position of the row before sorting
};

/// Sorts by key: radix sort by bytes, lowest byte first. A byte that is the same in all keys costs nothing.
void sort_by_key(std::vector<Keyed>& items) {
    std::vector<Keyed> other(items.size());
    std::uint64_t differing = 0;
    for (const Keyed& item : items) differing |= item.key ^ items.front().key;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        if (((differing >> shift) & 0xFF) == 0) continue;
        std::array<std::size_t, 257> starts{};
        for (const Keyed& item : items) ++starts[((item.key >> shift) & 0xFF) + 1];
        for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
        for (const Keyed& item : items) other[starts[(item.key >> shift) & 0xFF]++] = item;
        items.swap(other);
    }
}

/// Collects items and keeps the first `at_most` of them in the order of key, then place. `of` is the maximum number of
/// items.
class FirstItems {
public:
    FirstItems(std::size_t at_most, std::size_t of) : at_most_(at_most), picks_(at_most < of / k_min_rows_per_picked_row) {
        items_.reserve(picks_ ? max_kept() : of);
    }

    void add(const Keyed& item) {
        if (has_all_ && item.key >= last_key_) return;
        items_.push_back(item);
        if (picks_ && items_.size() == max_kept()) cut();
    }
    /// Returns the kept items in the order of their places.
    std::vector<Keyed> take() {
        if (picks_ && items_.size() > at_most_) cut();
        if (has_all_) std::ranges::sort(items_, {}, &Keyed::place);
        return std::move(items_);
    }

private:
    std::size_t max_kept() const { return 2 * at_most_ + k_values_per_batch; }

    void cut() {
        const auto end = items_.begin() + static_cast<std::ptrdiff_t>(at_most_);
        const auto rank = [](const Keyed& item) { return std::pair(item.key, item.place); };
        std::ranges::nth_element(items_, end, {}, rank);
        items_.erase(end, items_.end());
        has_all_ = true;
        last_key_ = at_most_ == 0 ? 0 : std::ranges::max(items_, {}, &Keyed::key).key;
    }

    std::size_t at_most_;
    bool picks_;
    std::vector<Keyed> items_;
    bool has_all_ = false;  ///< True once at_most_ items are known; then only items that come before the last of them matter
    std::uint64_t last_key_ = 0;
};

/// Appends the rows sorted by key with a counting sort, which takes one pass instead of one for each byte. Returns false and
/// does nothing if the keys are too far apart.
bool count_into(const std::vector<Keyed>& items, std::vector<std::uint32_t>& rows) {
    const auto [lowest, highest] = std::ranges::minmax(items, {}, &Keyed::key);
    if (highest.key - lowest.key >= items.size() / 2) return false;
    std::vector<std::size_t> starts(highest.key - lowest.key + 2);
    for (const Keyed& item : items) ++starts[item.key - lowest.key + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    const std::size_t before = rows.size();
    rows.resize(before + items.size());
    for (const Keyed& item : items) rows[before + starts[item.key - lowest.key]++] = item.row;
    return true;
}

void append_sorted(std::vector<Keyed> items, std::vector<std::uint32_t>& rows) {
    if (items.empty() || count_into(items, rows)) return;
    sort_by_key(items);
    for (const Keyed& item : items) rows.push_back(item.row);
}

}  // namespace

void sort_rows(std::vector<std::uint32_t>& rows, const Column& column, bool descending, std::size_t at_most) {
    FirstItems items(at_most, rows.size());
    std::vector<std::uint32_t> nulls;
    std::array<std::size_t, k_values_per_batch> numbers;
    std::array<std::optional<std::int64_t>, k_values_per_batch> values;
    std::uint32_t place = 0;
    for (std::size_t first = 0; first < rows.size(); first += k_values_per_batch) {
        const std::size_t count = std::min(k_values_per_batch, rows.size() - first);
        std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(first), count, numbers.begin());
        column.integers(std::span(numbers).first(count), std::span(values).first(count));
        for (std::size_t i = 0; i < count; ++i) {
            if (!values[i]) {
                nulls.push_back(rows[first + i]);
                continue;
            }
            const std::uint64_t ascending = static_cast<std::uint64_t>(*values[i]) ^ (std::uint64_t{1} << 63);
            items.add({descending ? ~ascending : ascending, rows[first + i], place++});
        }
    }
    rows.clear();
    if (!descending) rows = nulls;
    append_sorted(items.take(), rows);
    if (descending) rows.insert(rows.end(), nulls.begin(), nulls.end());
    rows.resize(std::min(rows.size(), at_most));
}

namespace {

/// Testing a row in a block takes about 3 ns. SQLite takes about 90 ns to process a row that passes; that is cost 1.
constexpr double k_row_test_cost = 0.03;
constexpr double k_own_sort_cost = 0.5;
constexpr double k_sqlite_sort_cost = 3;  // cost per row and per log2 of the number of rows, as in SQLite's own estimates
constexpr double k_range_selectivity = 1.0 / 4;
constexpr double k_equal_selectivity = 1.0 / 20;
constexpr std::size_t k_sampled_rows = 64;

/// Estimates the share of rows that pass an equality test by the probability that two rows hold the same value. Samples rows
/// that are spread evenly.
double share_of_equal(const Column& column, std::size_t rows) {
    if (column.is_text() || column.prepare) return k_equal_selectivity;
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
    double share = k_range_selectivity;
    if (is_equal) share = column.order == ColumnOrder::row_number ? 1 / scanned_ : share_of_equal(column, rows_);
    if (is_lasting_beyond(column, comparison)) {
        share = column.lasting_share;
        has_lasting_column_ = true;
    }
    if (column.order != ColumnOrder::none) scanned_ = std::max(1.0, scanned_ * share);
    found_ = std::min(scanned_, std::max(1.0, found_ * share));
}

double RowEstimate::cost() const { return 1 + scanned_ * k_row_test_cost + found_; }

double RowEstimate::order_cost(bool may_be_part_of_or) const {
    if (may_be_part_of_or && has_lasting_column_) return found_ * k_sqlite_sort_cost * std::log2(found_ + 1);
    return found_ * k_own_sort_cost;
}

}  // namespace snapviewer::query
