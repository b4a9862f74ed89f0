#include "core/base/columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace snapviewer {
namespace {

constexpr int k_usual_int = -1;
using UniformInts = UniformColumn<int>;

std::vector<int> ints_of(const UniformInts& column) {
    std::vector<int> values;
    for (std::size_t i = 0; i < column.size(); ++i) values.push_back(column[i]);
    return values;
}

UniformInts uniform_ints(const std::vector<int>& values) {
    UniformInts column;
    for (const int value : values) column.push_back(value);
    return column;
}

TEST(UniformColumn, HoldsWhatAVectorDoesWhateverIsDoneToIt) {
    std::mt19937 random(11);
    for (int round = 0; round < 300; ++round) {
        // In every third round all values are the default until one is set.
        const auto value = [&] {
            return round % 3 == 0 || random() % 4 != 0 ? k_usual_int : static_cast<int>(random() % 9);
        };
        std::vector<int> expected(random() % 12), before(random() % 6);
        std::ranges::generate(expected, value);
        std::ranges::generate(before, value);
        UniformInts column = uniform_ints(expected);
        ASSERT_EQ(ints_of(column), expected);

        column.insert_reversed(uniform_ints(before));
        expected.insert(expected.begin(), before.rbegin(), before.rend());
        ASSERT_EQ(ints_of(column), expected);
        if (expected.empty()) continue;

        const std::size_t at = random() % expected.size();
        column.set(at, expected[at] = random() % 2 == 0 ? k_usual_int : 5);
        column.push_back(7);
        expected.push_back(7);
        ASSERT_EQ(ints_of(column), expected);

        const std::size_t first = random() % expected.size(), count = random() % (expected.size() - first + 1);
        UniformInts part;
        part.assign_slice(column, first, count);
        part.push_back(k_usual_int);
        std::vector<int> expected_part(expected.begin() + static_cast<std::ptrdiff_t>(first),
                                       expected.begin() + static_cast<std::ptrdiff_t>(first + count));
        expected_part.push_back(k_usual_int);
        ASSERT_EQ(ints_of(part), expected_part);

        column.fill(k_usual_int);
        ASSERT_EQ(ints_of(column), std::vector<int>(expected.size(), k_usual_int));
    }
}

}  // namespace
}  // namespace snapviewer
