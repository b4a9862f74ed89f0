#include "core/base/columns.h"

#include <gtest/gtest.h>

#include "tests/unit/column_values.h"

namespace snapviewer {
namespace {

TEST(SharedColumn, IsSharedOnlyWhereAllNumbersAreTheSame) {
    const SharedColumn<int> first{1, 2, 3};
    SharedColumn<int> same{1, 2, 3}, other{1, 2, 4}, shorter{1, 2};
    for (SharedColumn<int>* column : {&same, &other, &shorter}) column->share(first);
    EXPECT_EQ(same.begin(), first.begin());
    EXPECT_NE(other.begin(), first.begin());
    EXPECT_NE(shorter.begin(), first.begin());
    EXPECT_EQ(test::values_of(other), (std::vector{1, 2, 4}));
    EXPECT_EQ(test::values_of(shorter), (std::vector{1, 2}));
}

TEST(SharedColumn, ThatGrowsLeavesTheOtherAsItIs) {
    const SharedColumn<int> first{1, 2};
    SharedColumn<int> second{1, 2};
    second.share(first);
    second.push_back(3);
    EXPECT_EQ(test::values_of(first), (std::vector{1, 2}));
    EXPECT_EQ(test::values_of(second), (std::vector{1, 2, 3}));
    SharedColumn<int> copy = second;
    copy.push_back(4);
    EXPECT_EQ(test::values_of(second), (std::vector{1, 2, 3}));
}

TEST(SharedColumn, HoldsNothingAtFirst) {
    SharedColumn<int> empty, filled;
    EXPECT_TRUE(empty.empty());
    EXPECT_EQ(empty.begin(), empty.end());
    filled.push_back(7);
    filled.share(empty);
    EXPECT_EQ(test::values_of(filled), (std::vector{7}));
}

}  // namespace
}  // namespace snapviewer
