#include "core/query/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace snapviewer::test {
namespace {

using Values = std::vector<std::optional<std::int64_t>>;

/// The order in which SQLite sorts rows: by value, NULL before all numbers, stable.
std::vector<std::uint32_t> expected_order(const Values& values, bool descending, std::size_t at_most) {
    std::vector<std::uint32_t> rows(values.size());
    std::iota(rows.begin(), rows.end(), 0U);
    std::ranges::stable_sort(
        rows, [&](std::uint32_t a, std::uint32_t b) { return descending ? values[a] > values[b] : values[a] < values[b]; });
    rows.resize(std::min(rows.size(), at_most));
    return rows;
}

std::vector<std::uint32_t> order(const Values& values, bool descending, std::size_t at_most) {
    Column column{"value", FieldUnit::count, ""};
    column.integers = [&values](std::span<const std::size_t> rows, std::span<std::optional<std::int64_t>> found) {
        std::ranges::transform(rows, found.begin(), [&values](std::size_t row) { return values[row]; });
    };
    std::vector<std::uint32_t> rows(values.size());
    std::iota(rows.begin(), rows.end(), 0U);
    sort_rows(rows, column, descending, at_most);
    return rows;
}

Values random_values(std::int64_t low, std::int64_t high, unsigned nulls_in_ten) {
    std::mt19937_64 random(7);
    std::uniform_int_distribution<std::int64_t> any(low, high);
    Values values(20'000);
    for (auto& value : values) value = random() % 10 < nulls_in_ten ? std::nullopt : std::optional(any(random));
    return values;
}

constexpr std::int64_t k_lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t k_highest = std::numeric_limits<std::int64_t>::max();

/// Compares columns with few close values, as stacks have; with many values; with the full range; and with a single value.
TEST(RowOrder, IsThatOfAStableSort) {
    const std::vector<Values> columns = {random_values(0, 50, 0),
                                         random_values(-3000, 3000, 2),
                                         random_values(k_lowest, k_highest, 1),
                                         random_values(k_highest - 100, k_highest, 0),
                                         random_values(k_lowest, k_lowest + 100, 0),
                                         random_values(5, 5, 0),
                                         random_values(0, 0, 10),
                                         {}};
    for (const Values& values : columns) {
        for (const bool descending : {false, true}) {
            for (const std::size_t at_most : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{1000},
                                              std::size_t{2500}, std::size_t{19'999}, std::size_t{1'000'000}}) {
                EXPECT_EQ(order(values, descending, at_most), expected_order(values, descending, at_most))
                    << descending << ' ' << at_most;
            }
        }
    }
}

/// The wanted rows come last: each row is better than all rows before it.
TEST(RowOrder, PicksTheFirstOfRowsInTheWorstOrder) {
    Values values(50'000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i / 3);
    for (const std::size_t at_most : {std::size_t{1}, std::size_t{100}, std::size_t{5000}}) {
        EXPECT_EQ(order(values, true, at_most), expected_order(values, true, at_most));
    }
}

}  // namespace
}  // namespace snapviewer::test
