#include "core/timeline/timeline.h"

#include <gtest/gtest.h>

#include "tests/unit/brute_force.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using test::brute_force;
using test::lay_out;
using test::random_trace;
using test::TraceBuilder;

TEST(Timeline, AgreesWithACaseWorkedByHand) {
    // A and B are allocated in steps 0 and 1. Freeing A takes step 2, then B slides down during steps 3 to 6. C is allocated
    // in step 6 and freed at the top of the stack in step 7.
    const Timeline timeline = lay_out(TraceBuilder().alloc(1, 100).alloc(2, 30).free(1, 100).alloc(3, 7).free(3, 7).build());
    EXPECT_EQ(timeline.path(AllocationId{0}), (std::vector<PathPoint>{{0, 0}, {3, 0}}));
    EXPECT_EQ(timeline.path(AllocationId{1}), (std::vector<PathPoint>{{1, 100}, {3, 100}, {6, 0}, {8, 0}}));
    EXPECT_EQ(timeline.path(AllocationId{2}), (std::vector<PathPoint>{{6, 30}, {8, 30}}));
    EXPECT_EQ(timeline.step_count(), 8U);
    EXPECT_EQ(timeline.peak_bytes(), 130U);
    EXPECT_EQ(timeline.live_bytes_at_end(), 30U) << "C is drawn up to the right edge, but nothing of it is left";
    EXPECT_EQ(timeline.path_point_count(), 8U);
    EXPECT_EQ(timeline.max_live(), 2U);
}

TEST(Timeline, CountsMoreThanAHundredMillionPoints) {
    // First in, first out: each allocation rests on the previous k_live ones and slides when each of them is freed.
    constexpr std::uint64_t k_count = 20'000, k_live = 4'000;
    TraceBuilder trace;
    for (std::uint64_t i = 0; i < k_count; ++i) {
        trace.alloc(i + 1, 512);
        if (i >= k_live) trace.free(i + 1 - k_live, 512);
    }
    const Timeline timeline = lay_out(trace.build());
    std::uint64_t points = 0;
    for (std::uint64_t i = 0; i < k_count; ++i) {
        const std::uint64_t first_below = i < k_live ? 0 : i - k_live;
        const std::uint64_t drops = i < k_count - k_live ? i - first_below : k_count - k_live - first_below;
        points += 2 + 2 * drops;
    }
    ASSERT_GT(points, 100'000'000U);
    EXPECT_EQ(timeline.path_point_count(), points);
    EXPECT_EQ(timeline.path(AllocationId{k_live + 7}).size(), 2 + 2 * k_live);
    EXPECT_EQ(timeline.max_live(), k_live + 1);
    EXPECT_EQ(timeline.step_count(), k_count + (k_count - k_live) * (1 + Timeline::k_slide_steps));
}

TEST(Timeline, PicksDuringADrop) {
    const Timeline timeline = lay_out(TraceBuilder().alloc(1, 100).alloc(2, 30).free(1, 100).build());
    EXPECT_EQ(timeline.pick(Axis::steps, 2.5, 50), AllocationId{0});
    EXPECT_EQ(timeline.pick(Axis::steps, 2.5, 110), AllocationId{1});
    EXPECT_EQ(timeline.pick(Axis::steps, 4.5, 20), std::nullopt) << "half way down: empty from 0 to 50";
    EXPECT_EQ(timeline.pick(Axis::steps, 4.5, 55), AllocationId{1});
    EXPECT_EQ(timeline.pick(Axis::steps, 4.5, 85), std::nullopt);
    EXPECT_EQ(timeline.pick(Axis::steps, -1, 0), std::nullopt);
    EXPECT_EQ(timeline.pick(Axis::steps, 6, 0), std::nullopt) << "the right edge is not part of the picture";
}

TEST(Timeline, HasTimesRelativeToTheFirstEvent) {
    const Timeline timeline = lay_out(TraceBuilder().alloc(1, 100).alloc(2, 30).free(1, 100).build());
    // Events are 10 us apart; a free has two events and counts when it is completed.
    EXPECT_EQ(std::vector<std::int64_t>(timeline.tick_times_us().begin(), timeline.tick_times_us().end()),
              (std::vector<std::int64_t>{0, 0, 10, 30, 30}));
    EXPECT_EQ(timeline.start_time_us(), 1'000'010);
    EXPECT_EQ(timeline.pick(Axis::time, 15, 110), AllocationId{1});
}

TEST(Timeline, OfNothingIsEmpty) {
    const Timeline timeline = lay_out(TraceBuilder().build());
    EXPECT_EQ(timeline.step_count(), 0U);
    EXPECT_EQ(timeline.peak_bytes(), 0U);
    EXPECT_EQ(timeline.pick(Axis::steps, 0, 0), std::nullopt);
}

class RandomTraces : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomTraces, HaveTheBruteForcePicture) {
    const Timeline timeline = lay_out(random_trace(GetParam(), 1200, 90));
    const auto picture = brute_force(timeline.trace());
    ASSERT_EQ(timeline.step_count(), picture.steps);
    ASSERT_EQ(timeline.peak_bytes(), picture.peak_bytes);
    std::uint64_t points = 0;
    for (std::uint32_t id = 0; id < timeline.allocation_count(); ++id) {
        ASSERT_EQ(timeline.path(AllocationId{id}), picture.paths[id]) << "allocation " << id;
        points += picture.paths[id].size();
    }
    EXPECT_EQ(timeline.path_point_count(), points);
}

TEST_P(RandomTraces, PickWhatBruteForceFinds) {
    const Timeline timeline = lay_out(random_trace(GetParam(), 1200, 90));
    const auto picture = brute_force(timeline.trace());
    std::mt19937 random(GetParam());
    std::uniform_real_distribution<double> somewhere(0, 1);
    int hits = 0;
    for (int i = 0; i < 2000; ++i) {
        const double x = somewhere(random) * static_cast<double>(picture.steps);
        const double y = somewhere(random) * static_cast<double>(picture.peak_bytes);
        std::optional<PlacedAllocation> expected;
        for (std::uint32_t id = 0; id < picture.paths.size(); ++id) {
            const auto& path = picture.paths[id];
            if (x < static_cast<double>(path.front().step) || x >= static_cast<double>(path.back().step)) continue;
            const double low = test::height_at(path, x);
            if (y >= low && y < low + static_cast<double>(timeline.trace().allocations.size_bytes[id]))
                expected = PlacedAllocation{AllocationId{id}, low};
        }
        ASSERT_TRUE(test::is_same_place(timeline.pick(Axis::steps, x, y), expected, 1e-3))
            << "at step " << x << ", byte " << y;
        hits += expected.has_value() ? 1 : 0;
    }
    EXPECT_GT(hits, 100) << "too few points hit anything for this to mean much";
}

TEST_P(RandomTraces, KeepTheLiveSetOfAReplay) {
    const Timeline timeline = lay_out(random_trace(GetParam(), 1200, 90));
    std::vector<AllocationId> live;
    for (std::uint32_t i = 0; i < timeline.trace().initial_count; ++i) live.push_back(AllocationId{i});
    for (std::uint32_t tick = 1; tick + 1 < timeline.tick_count(); ++tick) {
        const AllocationId id = timeline.trace().actions[tick - 1];
        if (std::erase(live, id) == 0) live.push_back(id);
        if (tick % 7 != 0) continue;
        ASSERT_EQ(timeline.live_after_tick(tick), live) << "tick " << tick;
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTraces, ::testing::Range(1U, 9U));

}  // namespace
}  // namespace snapviewer
