#include "core/analysis/space/address_space.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/trace_builder.h"

namespace snapviewer::test {
namespace {

constexpr std::uint64_t k_first = 0x1000000;

/// Builds segments at given addresses. The expected map is written as one text per line with its contents as
/// "begin-end@offset", in MiB from k_first.
class AddressMaps : public ::testing::Test {
protected:
    void range(std::uint64_t begin_mib, std::uint64_t end_mib, space::RangeTraits traits = {}) {
        moment.ranges.push_back({{k_first + begin_mib * k_mib, (end_mib - begin_mib) * k_mib, traits}, 0, 0});
        moment.reserved_bytes += (end_mib - begin_mib) * k_mib;
    }
    std::vector<std::string> lines(std::uint64_t line_mib, std::uint64_t gap_mib) {
        const space::AddressMap map = space::lay_out_address_map(moment, pools, line_mib * k_mib, gap_mib * k_mib);
        std::vector<std::string> texts;
        for (const space::AddressMapLine& line : map.lines) {
            std::string text = std::to_string(line.group) + ":";
            for (std::uint32_t i = 0; i < line.piece_count; ++i) {
                const space::AddressMapPiece& piece = map.pieces[line.first_piece + i];
                text += " " + mib(piece.begin - k_first) + "-" + mib(piece.end - k_first) + "@" + mib(piece.offset_bytes);
            }
            texts.push_back(text);
        }
        return texts;
    }
    static std::string mib(std::uint64_t bytes) { return std::to_string(bytes / k_mib); }

    std::shared_ptr<const Snapshot> snapshot = TraceBuilder().build();
    space::PoolNames pools{*snapshot};
    space::AddressMoment moment;
};

using Texts = std::vector<std::string>;

TEST_F(AddressMaps, SegmentsFollowEachOtherLikeWordsAndLongOnesGoOn) {
    range(0, 4);
    range(10, 13);
    range(20, 25);
    range(40, 65);
    EXPECT_EQ(lines(10, 1), (Texts{"0: 0-4@0 10-13@5", "0: 20-25@0 40-44@6", "0: 44-54@0", "0: 54-64@0", "0: 64-65@0"}));
}

TEST_F(AddressMaps, WhatFillsALineLeavesNoEmptyOne) {
    range(0, 10);
    range(10, 30);
    range(50, 51);
    EXPECT_EQ(lines(10, 1), (Texts{"0: 0-10@0", "0: 10-20@0", "0: 20-30@0", "0: 50-51@0"}));
}

TEST_F(AddressMaps, EachKindOfSegmentHasLinesOfItsOwnTheLargestFirst) {
    range(0, 2, {.is_small = true});
    range(2, 8);
    range(8, 10, {.is_small = true});
    range(10, 20, {.stream = 1});
    EXPECT_EQ(lines(100, 1), (Texts{"0: 10-20@0", "1: 2-8@0", "2: 0-2@0 8-10@3"}));
    const space::AddressMap map = space::lay_out_address_map(moment, pools, 100 * k_mib, 0);
    EXPECT_EQ(map.groups[2].range_count, 2U);
    EXPECT_EQ(map.groups[2].reserved_bytes, 4 * k_mib);
    EXPECT_EQ(map.groups[2].first_line, 2U);
}

TEST_F(AddressMaps, AnUnknownPoolIsTheDefaultOne) {
    range(0, 1, {.pool = k_no_pool});
    range(1, 2, {.pool = pools.default_pool()});
    EXPECT_EQ(lines(10, 1), (Texts{"0: 0-1@0 1-2@2"}));
}

TEST_F(AddressMaps, LinesAreAsLongAsTheyHaveToBeToFit) {
    for (std::uint64_t i = 0; i < 64; ++i) range(i * 20, i * 20 + 10);
    for (const std::size_t most_lines : {4U, 10U, 64U}) {
        const std::uint64_t line_bytes = space::fitting_line_bytes(moment, pools, most_lines, 0.01);
        const auto count = [&](std::uint64_t bytes) {
            return space::lay_out_address_map(moment, pools, bytes, bytes / 100).lines.size();
        };
        EXPECT_LE(count(line_bytes), most_lines);
        EXPECT_GE(count(line_bytes / 2), most_lines) << "lines of half the length would do";
    }
}

TEST_F(AddressMaps, WhatNoMachineHasTakesNoMoreLinesThanAnybodyCouldSee) {
    moment.ranges.push_back({{0, UINT64_MAX, {}}, 0, 0});
    moment.ranges.push_back({{4096, UINT64_MAX - 4096, {}}, 0, 0});
    EXPECT_LT(space::lay_out_address_map(moment, pools, 1, 1).lines.size(), 110'000U);
    const std::uint64_t line_bytes = space::fitting_line_bytes(moment, pools, 10, 0);
    EXPECT_LE(space::lay_out_address_map(moment, pools, line_bytes, 0).lines.size(), 10U);
}

TEST_F(AddressMaps, ASpotIsABlockOrTheHoleAroundIt) {
    moment.ranges.push_back({{1000, 100, {}}, 0, 2});
    moment.ranges.push_back({{2000, 50, {}}, 2, 0});
    moment.blocks = {{1010, 20, AllocationId{7}, false}, {1030, 10, AllocationId{8}, true}};
    const auto hole = [&](std::uint32_t range, std::uint64_t address) {
        const space::AddressSpot spot = space::spot_at(moment, range, address);
        EXPECT_FALSE(spot.block);
        return std::pair(spot.hole.begin, spot.hole.end);
    };
    EXPECT_EQ(hole(0, 1000), std::pair(UINT64_C(1000), UINT64_C(1010)));
    EXPECT_EQ(space::spot_at(moment, 0, 1010).block, 0U);
    EXPECT_EQ(space::spot_at(moment, 0, 1029).block, 0U);
    EXPECT_EQ(space::spot_at(moment, 0, 1030).block, 1U);
    EXPECT_EQ(hole(0, 1040), std::pair(UINT64_C(1040), UINT64_C(1100)));
    EXPECT_EQ(hole(1, 2049), std::pair(UINT64_C(2000), UINT64_C(2050)));
}

TEST(AddressSpaces, TellWhenMostWasReserved) {
    TraceBuilder builder;
    builder.event(Action::segment_alloc, 0x1000000, 20 * k_mib);
    builder.event(Action::segment_alloc, 0x9000000, 2 * k_mib);
    builder.event(Action::segment_free, 0x1000000, 20 * k_mib);
    builder.event(Action::segment_alloc, 0x1000000, 18 * k_mib);
    builder.event(Action::segment_free, 0x1000000, 18 * k_mib);
    builder.event(Action::segment_free, 0x9000000, 2 * k_mib);
    const auto snapshot = builder.build();
    const auto space = space::AddressSpace::build(*snapshot, snapshot->devices[0]);
    EXPECT_EQ(space::max_reserved_moment(space), 2U);
}

}  // namespace
}  // namespace snapviewer::test
