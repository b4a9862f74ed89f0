#include "core/trace/segment_map.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <vector>

namespace snapviewer {
namespace {

struct Colour {
    int number = 0;
    bool join(const Colour& next) const { return number == next.number; }
};
using Map = SegmentMap<Colour>;

TEST(SegmentMap, JoinsNeighboursThatWantTo) {
    Map map;
    map.add({10, 20}, {1});
    map.add({30, 40}, {1});
    map.add({40, 50}, {2});
    map.add({20, 30}, {1});
    ASSERT_EQ(map.ranges().size(), 2U);
    ASSERT_NE(map.at(10), nullptr);
    EXPECT_EQ(map.at(10)->end, 40U);
    EXPECT_EQ(map.at(20), nullptr);
    EXPECT_EQ(map.find(49)->second.value.number, 2);
    EXPECT_EQ(map.find(50), map.ranges().end());
}

TEST(SegmentMap, CutReturnsWhatItShortens) {
    Map map;
    map.add({10, 20}, {1});
    map.add({20, 30}, {2});
    map.add({40, 60}, {1});
    const auto before = map.cut({15, 50});
    ASSERT_EQ(before.size(), 3U);
    EXPECT_EQ(before[2].first, 40U);
    EXPECT_EQ(before[2].second.end, 60U);
    ASSERT_EQ(map.ranges().size(), 2U);
    EXPECT_EQ(map.at(10)->end, 15U);
    EXPECT_EQ(map.at(50)->end, 60U);
    EXPECT_TRUE(map.cut({15, 50}).empty());
}

TEST(SegmentMap, AgreesWithATableOfAddresses) {
    // Each address has a colour, or 0 if it is in no range.
    Map map;
    std::vector<int> colours(101);
    std::mt19937 random(7);
    for (int step = 0; step < 5000; ++step) {
        const std::size_t begin = random() % 100;
        const std::size_t end = begin + 1 + random() % (100 - begin);
        const AddressSpan span{begin, end};
        std::vector<std::size_t> gaps;  // begin and end of each gap
        for (std::size_t at = begin; at < end; ++at) {
            if (colours[at] != 0) continue;
            if (at == begin || colours[at - 1] != 0) gaps.push_back(at);
            if (at + 1 == end || colours[at + 1] != 0) gaps.push_back(at + 1);
        }
        const std::vector<AddressSpan> found = map.gaps(span);
        ASSERT_EQ(2 * found.size(), gaps.size()) << step;
        for (std::size_t i = 0; i < found.size(); ++i) {
            ASSERT_EQ(found[i].begin, gaps[2 * i]);
            ASSERT_EQ(found[i].end, gaps[2 * i + 1]);
        }
        ASSERT_EQ(map.overlaps(span), (gaps != std::vector<std::size_t>{begin, end}));
        map.cut(span);
        const int colour = static_cast<int>(random() % 3);
        if (colour != 0) map.add(span, {colour});
        for (std::size_t at = begin; at < end; ++at) colours[at] = colour;
        std::size_t range_count = 0;
        for (std::size_t at = 0; at < 100; ++at) {
            const auto range = map.find(at);
            ASSERT_EQ(range == map.ranges().end() ? 0 : range->second.value.number, colours[at]) << step << " " << at;
            if (colours[at] != 0 && colours[at] != colours[at + 1]) ++range_count;
        }
        ASSERT_EQ(map.ranges().size(), range_count) << "equal neighbours are joined";
    }
}

}  // namespace
}  // namespace snapviewer
