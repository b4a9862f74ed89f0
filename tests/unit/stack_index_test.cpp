#include "core/mesh/stack_index.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/brute_force.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using test::random_trace;

struct Indexed {
    Timeline timeline;
    mesh::StackIndex index;
};

Indexed make_index(std::shared_ptr<const Snapshot> snapshot, std::uint32_t version_shift = 2) {
    Timeline timeline = test::lay_out(std::move(snapshot));
    mesh::StackIndex index = mesh::build_stack_index(timeline.trace(), version_shift);
    return {std::move(timeline), std::move(index)};
}

class RandomIndex : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomIndex, FindsWhatAReplayOfTheLiveListFinds) {
    const auto [timeline, index] = make_index(random_trace(GetParam(), 1500, 120), GetParam() % 2 == 0 ? 2 : 4);
    const std::vector<std::uint64_t>& sizes = timeline.trace().allocations.size_bytes;
    std::vector<AllocationId> live;
    for (std::uint32_t id = 0; id < timeline.trace().initial_count; ++id) live.push_back(AllocationId{id});
    for (std::uint32_t tick = 0; tick + 1 < timeline.tick_count(); ++tick) {
        if (tick > 0) {
            const AllocationId id = timeline.trace().actions[tick - 1];
            if (std::erase(live, id) == 0) live.push_back(id);
        }
        if (tick % 5 != 0) continue;
        std::uint64_t low = 0;
        for (const AllocationId id : live) {
            const PlacedAllocation placed{id, static_cast<double>(low)};
            ASSERT_EQ(index.find(sizes, tick, 0, low), placed) << "lower edge, tick " << tick;
            ASSERT_EQ(index.find(sizes, tick, 0, low + sizes[id.value] - 1), placed) << "last byte, tick " << tick;
            low += sizes[id.value];
        }
        ASSERT_EQ(index.find(sizes, tick, 0, low), std::nullopt) << "above the top, tick " << tick;
    }
}

TEST_P(RandomIndex, FindsThroughADropWhatTheTimelinePicks) {
    const auto [timeline, index] = make_index(random_trace(GetParam(), 1500, 120), GetParam() % 2 == 0 ? 2 : 4);
    const std::vector<std::uint64_t>& sizes = timeline.trace().allocations.size_bytes;
    std::mt19937 random(GetParam());
    int drops = 0;
    for (std::uint32_t tick = 1; tick + 1 < timeline.tick_count(); ++tick) {
        if (!timeline.is_free(tick)) continue;
        const std::uint64_t size = sizes[timeline.allocation_at_tick(tick).value];
        if (size % 3 != 0 || timeline.step_of_tick(tick + 1) < timeline.step_of_tick(tick) + 3) continue;
        for (int i = 0; i < 5; ++i) {
            const std::uint64_t y = std::uniform_int_distribution<std::uint64_t>(0, timeline.peak_bytes())(random);
            const double one_step_on = static_cast<double>(timeline.step_of_tick(tick) + 1);
            const auto expected = timeline.pick(Axis::steps, one_step_on, static_cast<double>(y));
            ASSERT_TRUE(test::is_same_place(index.find(sizes, tick, size / 3 * 2, y), expected, 1e-3)) << "byte " << y;
        }
        ++drops;
    }
    EXPECT_GT(drops, 20);
}

TEST_P(RandomIndex, KnowsThePeakOfEveryRange) {
    const auto [timeline, index] = make_index(random_trace(GetParam(), 700, 60), GetParam() % 2 == 0 ? 2 : 4);
    std::mt19937 random(GetParam());
    for (int i = 0; i < 3000; ++i) {
        std::uniform_int_distribution<std::uint32_t> any(0, timeline.tick_count() - 2);
        const auto [first, last] = std::minmax({any(random), any(random)});
        std::uint32_t expected = first;
        for (std::uint32_t tick = first; tick <= last; ++tick) {
            if (timeline.total_after_tick(tick) > timeline.total_after_tick(expected)) expected = tick;
        }
        ASSERT_EQ(timeline.total_after_tick(index.peak_tick(first, last)), timeline.total_after_tick(expected))
            << first << " to " << last;
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomIndex, ::testing::Range(1U, 7U));

TEST(StackIndex, HasFewerVersionsIfItsNodesAreTooMany) {
    const Timeline timeline = test::lay_out(random_trace(1, 1500, 120));
    const DeviceTrace& trace = timeline.trace();
    const std::vector<std::uint64_t>& sizes = trace.allocations.size_bytes;
    const mesh::StackIndex finest = mesh::build_stack_index(trace);
    ASSERT_EQ(finest.version_shift, 2U);
    const mesh::StackIndex coarser = mesh::build_stack_index(trace, finest.nodes.size() - 1);
    EXPECT_EQ(coarser.version_shift, 4U);
    EXPECT_LT(coarser.nodes.size(), finest.nodes.size());
    const mesh::StackIndex coarsest = mesh::build_stack_index(trace, std::size_t{1});
    EXPECT_EQ(coarsest.version_shift, 8U);
    const std::uint64_t peak = timeline.peak_bytes();
    for (std::uint32_t tick = 0; tick + 1 < timeline.tick_count(); tick += 7) {
        for (std::uint64_t y = 0; y < peak; y += peak / 50 + 1) {
            const std::optional<PlacedAllocation> expected = finest.find(sizes, tick, 0, y);
            const std::optional<PlacedAllocation> found = coarsest.find(sizes, tick, 0, y);
            ASSERT_EQ(found, expected) << tick << " " << y;
        }
    }
}

TEST(StackIndex, IsExactBeyondATerabyte) {
    const std::uint64_t huge = std::uint64_t{1} << 40;
    const auto [timeline, index] = make_index(test::TraceBuilder().alloc(1, huge).alloc(2, 1).alloc(3, huge).build());
    const std::vector<std::uint64_t>& sizes = timeline.trace().allocations.size_bytes;
    EXPECT_EQ(index.find(sizes, 3, 0, huge - 1), AllocationId{0});
    EXPECT_EQ(index.find(sizes, 3, 0, huge), AllocationId{1});
    EXPECT_EQ(index.find(sizes, 3, 0, huge + 1), AllocationId{2});
}

TEST(StackIndex, GrowsWithTheActionsNotWithThePathPoints) {
    // First in, first out: every free moves all live allocations, so the number of path points explodes.
    test::TraceBuilder trace;
    constexpr std::uint64_t k_allocations = 6000, k_live = 1000;
    for (std::uint64_t i = 0; i < k_allocations; ++i) {
        trace.alloc(i, 100);
        if (i >= k_live) trace.free(i - k_live, 100);
    }
    const auto [timeline, index] = make_index(trace.build());
    EXPECT_GT(timeline.path_point_count(), 9'000'000U);
    EXPECT_LT(index.memory_bytes(), 200 * std::uint64_t{timeline.tick_count()});
}

}  // namespace
}  // namespace snapviewer
