#include "core/mesh/mesh.h"

#include <gtest/gtest.h>

#include "tests/unit/brute_force.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

struct Picture {
    Timeline timeline;
    mesh::Mesh mesh;
};

Picture make(std::shared_ptr<const Snapshot> snapshot) {
    Timeline timeline = test::lay_out(std::move(snapshot));
    mesh::Mesh mesh = mesh::build_mesh(timeline);
    return {std::move(timeline), std::move(mesh)};
}

/// A timeline in which a stays, b is allocated and freed, and c is allocated and freed, with a higher total than b.
///
///     event    alloc a   alloc b   free b   alloc c   free c   alloc d
///     step        0         1        3         3        5         5
///     total      100       150      100       170      100       110
Picture make_small() {
    return make(test::TraceBuilder().alloc(1, 100).alloc(2, 50).free(2, 50).alloc(3, 70).free(3, 70).alloc(4, 10).build());
}

TEST(PickInColumn, AColumnOfSeveralTicksShowsItsPeak) {
    const auto [timeline, mesh] = make_small();
    const auto at = [&](double x_begin, double x_end, double y) {
        return mesh::pick_in_column(timeline, mesh, Axis::steps, x_begin, x_end, y);
    };
    EXPECT_EQ(at(0, 5.5, 99), AllocationId{0});
    EXPECT_EQ(at(0, 5.5, 100), AllocationId{2});
    EXPECT_EQ(at(0, 5.5, 169), AllocationId{2});
    EXPECT_EQ(at(0, 5.5, 170), std::nullopt);
    EXPECT_EQ(at(0, 2.5, 120), AllocationId{1}) << "before the higher peak";
    EXPECT_EQ(at(0, 5.5, -1), std::nullopt);
}

TEST(PickInColumn, ColumnsWhoseCentreLiesOutsideAreEmpty) {
    const auto [timeline, mesh] = make_small();
    EXPECT_EQ(timeline.step_count(), 6U);
    EXPECT_EQ(mesh::pick_in_column(timeline, mesh, Axis::steps, -3, 2, 50), std::nullopt);
    EXPECT_EQ(mesh::pick_in_column(timeline, mesh, Axis::steps, -2, 3, 50), AllocationId{0});
    EXPECT_EQ(mesh::pick_in_column(timeline, mesh, Axis::steps, 4, 9, 50), std::nullopt);
}

TEST(PickInColumn, ANarrowColumnIsAPoint) {
    const auto [timeline, mesh] = make_small();
    EXPECT_EQ(mesh::pick_in_column(timeline, mesh, Axis::steps, 1.25, 1.5, 120), AllocationId{1});
    EXPECT_EQ(mesh::pick_in_column(timeline, mesh, Axis::steps, 0.25, 0.5, 120), std::nullopt);
}

class RandomPick : public ::testing::TestWithParam<Axis> {};

TEST_P(RandomPick, IsTheMomentOfTheLargestTotalOfAllTheColumnTouches) {
    const Axis axis = GetParam();
    const auto [timeline, mesh] = make(test::random_trace(11, 1500, 120));
    const double end = axis == Axis::steps ? static_cast<double>(timeline.step_count())
                                           : static_cast<double>(timeline.tick_times_us().back());
    std::mt19937 random(5);
    int found = 0;
    for (int i = 0; i < 4000; ++i) {
        const double x_begin = std::uniform_real_distribution(0.0, end * 0.95)(random);
        const double x_end = x_begin + end * 0.01;
        const std::uint32_t first = timeline.tick_at(axis, x_begin);
        std::uint32_t peak = first;
        for (std::uint32_t tick = first; tick <= timeline.tick_at(axis, x_end); ++tick) {
            if (timeline.total_after_tick(tick) > timeline.total_after_tick(peak)) peak = tick;
        }
        if (timeline.is_free(peak)) continue;  // the picture may still be sliding here
        const auto bytes = std::uniform_int_distribution<std::uint64_t>(0, timeline.peak_bytes())(random);
        std::optional<AllocationId> expected;
        std::uint64_t low = 0;
        for (const AllocationId id : timeline.live_after_tick(peak)) {
            const std::uint64_t size = timeline.trace().allocations.size_bytes[id.value];
            if (bytes >= low && bytes < low + size) expected = id;
            low += size;
        }
        ASSERT_EQ(mesh::pick_in_column(timeline, mesh, axis, x_begin, x_end, static_cast<double>(bytes)), expected)
            << x_begin << " to " << x_end;
        found += expected ? 1 : 0;
    }
    EXPECT_GT(found, 500);
}

TEST_P(RandomPick, OfAPointIsWhatTheLiveListHolds) {
    const Axis axis = GetParam();
    const auto [timeline, mesh] = make(test::random_trace(7, 2000, 150));
    ASSERT_TRUE(mesh.index);
    const double end = axis == Axis::steps ? static_cast<double>(timeline.step_count())
                                           : static_cast<double>(timeline.tick_times_us().back());
    std::mt19937 random(1);
    std::uniform_real_distribution<double> across(-0.01 * end, 1.01 * end);
    std::uniform_real_distribution<double> up(0, 1.02 * static_cast<double>(timeline.peak_bytes()));
    int found = 0;
    for (int i = 0; i < 20'000; ++i) {
        const double x = across(random);
        const double y = up(random);
        const auto expected = timeline.pick(axis, x, y);
        // The index is searched in whole bytes, so the result may be off by one byte.
        ASSERT_TRUE(test::is_same_place(mesh::pick_in_column(timeline, mesh, axis, x, x, y), expected, 1))
            << "at " << x << ", byte " << y;
        found += expected ? 1 : 0;
    }
    EXPECT_GT(found, 2000);
}

INSTANTIATE_TEST_SUITE_P(BothAxes, RandomPick, ::testing::Values(Axis::steps, Axis::time));

}  // namespace
}  // namespace snapviewer
