#include "core/base/uniform_column.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace snapviewer {
namespace {

constexpr int k_usual = -1;
using Column = UniformColumn<int>;

std::vector<int> values_of(const Column& column) {
    std::vector<int> values;
    for (std::size_t i = 0; i < column.size(); ++i) values.push_back(column[i]);
    return values;
}

Column column_of(const std::vector<int>& values) {
    Column column;
    for (const int value : values) column.push_back(value);
    return column;
}

TEST(UniformColumn, HoldsWhatAVectorDoesWhateverIsDoneToIt) {
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
        // In every third round all values are usual, until one is set.
        const auto value = [&] { return round % 3 == 0 || random() % 4 != 0 ? k_usual : static_cast<int>(random() % 9); };
        std::vector<int> expected(random() % 12), before(random() % 6);
        std::ranges::generate(expected, value);
        std::ranges::generate(before, value);
        Column column = column_of(expected);
        ASSERT_EQ(values_of(column), expected);

        column.insert_reversed(column_of(before));
        expected.insert(expected.begin(), before.rbegin(), before.rend());
        ASSERT_EQ(values_of(column), expected);
        if (expected.empty()) continue;

        const std::size_t at = random() % expected.size();
        column.set(at, expected[at] = random() % 2 == 0 ? k_usual : 5);
        column.push_back(7);
        expected.push_back(7);
        ASSERT_EQ(values_of(column), expected);

        const std::size_t first = random() % expected.size(), count = random() % (expected.size() - first + 1);
        Column part;
        part.assign_slice(column, first, count);
        part.push_back(k_usual);
        std::vector<int> expected_part(expected.begin() + static_cast<std::ptrdiff_t>(first),
                                       expected.begin() + static_cast<std::ptrdiff_t>(first + count));
        expected_part.push_back(k_usual);
        ASSERT_EQ(values_of(part), expected_part);

        column.fill(k_usual);
        ASSERT_EQ(values_of(column), std::vector<int>(expected.size(), k_usual));
    }
}

}  // namespace
}  // namespace snapviewer
