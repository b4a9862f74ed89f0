#include "core/timeline/timeline.h"

#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <set>

namespace snapviewer::live_list_test {
namespace {

/// Compares with a std::set over many chunks, with removals at the bottom, at the top and at random.
TEST(LiveList, IsASortedSetThatCountsWhatLiesAbove) {
    std::mt19937 random(5);
    for (const int where : {0, 1, 2}) {
        LiveList list;
        std::set<AllocationId> expected;
        for (std::uint32_t id = 0; id < 20'000; ++id) {
            list.push_back(AllocationId{id});
            expected.insert(AllocationId{id});
            const bool ends = id > 5000 && random() % 3 != 0;
            for (int i = 0; ends && i < 2 && !expected.empty(); ++i) {
                const AllocationId any{static_cast<std::uint32_t>(random() % (id + 1))};
                const auto from = expected.lower_bound(any);
                const auto gone = where == 0 || (where == 2 && from == expected.end()) ? expected.begin()
                                  : where == 1                                         ? std::prev(expected.end())
                                                                                       : from;
                ASSERT_EQ(list.erase(*gone), static_cast<std::size_t>(std::distance(std::next(gone), expected.end())));
                expected.erase(gone);
            }
            ASSERT_EQ(list.size(), expected.size());
        }
        std::vector<AllocationId> all;
        list.append_to(all);
        EXPECT_TRUE(std::ranges::equal(all, expected));
    }
}

}  // namespace
}  // namespace snapviewer::live_list_test
