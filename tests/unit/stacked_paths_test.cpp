#include "core/timeline/timeline.h"

#include <gtest/gtest.h>

#include "core/timeline/collect.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using test::as_polygons;
using test::lay_out;
using test::random_trace;

bool keeps_polygons(const std::shared_ptr<Snapshot>& snapshot) {
    complete_snapshot(*snapshot);
    return lay_out(snapshot).has_recorded_paths();
}

class StackedPaths : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(StackedPaths, AreWhatAllocationsOnOneAnotherMake) {
    const Timeline computed = lay_out(random_trace(GetParam(), 800, 60));
    const std::shared_ptr<Snapshot> given = as_polygons(computed);
    ASSERT_FALSE(keeps_polygons(given));
    const Timeline timeline = lay_out(given);
    EXPECT_EQ(timeline.step_count(), computed.step_count());
    EXPECT_EQ(timeline.path_point_count(), computed.path_point_count());
    for (std::uint32_t id = 0; id < computed.allocation_count(); ++id)
        ASSERT_EQ(timeline.path(AllocationId{id}), computed.path(AllocationId{id})) << id;
}

TEST_P(StackedPaths, AreNoneWithAnyPointElsewhere) {
    const Timeline computed = lay_out(random_trace(GetParam(), 200, 30));
    const std::size_t points = as_polygons(computed)->devices[0].recorded_paths.points.size();
    for (std::size_t i = 0; i < points; ++i) {
        const std::shared_ptr<Snapshot> higher = as_polygons(computed);
        ++higher->devices[0].recorded_paths.points[i].offset_bytes;
        ASSERT_TRUE(keeps_polygons(higher)) << i;
        const std::shared_ptr<Snapshot> later = as_polygons(computed);
        ++later->devices[0].recorded_paths.points[i].step;
        ASSERT_TRUE(keeps_polygons(later)) << i;
    }
}

TEST_P(StackedPaths, HaveNoPointMoreOrLess) {
    const Timeline computed = lay_out(random_trace(GetParam(), 200, 30));
    const auto without_last = as_polygons(computed);
    without_last->devices[0].recorded_paths.points.pop_back();
    --without_last->devices[0].recorded_paths.ends.back();
    EXPECT_TRUE(keeps_polygons(without_last));
    const auto with_another = as_polygons(computed);
    RecordedPaths& paths = with_another->devices[0].recorded_paths;
    paths.points.push_back(paths.points.back());
    ++paths.ends.back();
    EXPECT_TRUE(keeps_polygons(with_another));
}

INSTANTIATE_TEST_SUITE_P(Seeds, StackedPaths, ::testing::Range(1U, 4U));

/// Two allocations, of which the lower one is freed so that the upper one slides; a third begins `apart` steps later.
std::shared_ptr<Snapshot> two_and_one(std::uint64_t apart) {
    auto snapshot = std::make_shared<Snapshot>();
    DeviceTrace& trace = snapshot->devices.emplace_back();
    for (const std::uint64_t size_bytes : {100U, 20U, 3U}) trace.allocations.push({.size_bytes = size_bytes});
    trace.actions = {AllocationId{0}, AllocationId{1}, AllocationId{0}, AllocationId{2}};
    trace.action_steps = {1, 2, 5, 5 + apart};
    trace.end_step = 20;
    trace.allocations_are_given = true;
    trace.recorded_paths = {{{1, 0}, {5, 0}, {2, 100}, {5, 100}, {8, 0}, {20, 0}, {5 + apart, 20}, {20, 20}}, {2, 6, 8}};
    return snapshot;
}

TEST(StackedPaths, MayHaveAnyStepsThatLeaveTimeToSlide) {
    EXPECT_FALSE(keeps_polygons(two_and_one(3)));
    EXPECT_FALSE(keeps_polygons(two_and_one(9)));
    EXPECT_TRUE(keeps_polygons(two_and_one(2))) << "begins while the other one is on its way down";
    const Timeline timeline = lay_out(two_and_one(9));
    const auto given = two_and_one(9);
    ASSERT_FALSE(keeps_polygons(given));
    EXPECT_EQ(lay_out(given).path(AllocationId{1}), timeline.path(AllocationId{1})) << "as the file gives it";
    EXPECT_EQ(lay_out(given).pick(Axis::steps, 6.5, 60), AllocationId{1});
    EXPECT_EQ(timeline.pick(Axis::steps, 6.5, 60), AllocationId{1});
    EXPECT_FALSE(lay_out(given).has_times());
}

}  // namespace
}  // namespace snapviewer
