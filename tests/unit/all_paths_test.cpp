#include "core/timeline/timeline.h"

#include <gtest/gtest.h>

#include "core/timeline/collect.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using test::as_polygons;
using test::lay_out;
using test::random_trace;
using test::TraceBuilder;

void expect_same_paths(const Timeline& timeline) {
    const AllPaths paths(timeline);
    std::vector<PathPoint> points;
    for (std::uint32_t id = 0; id < timeline.allocation_count(); ++id) {
        paths.read(AllocationId{id}, points);
        ASSERT_EQ(points, timeline.path(AllocationId{id})) << id;
    }
}

class AllPathsOf : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(AllPathsOf, RandomTracesAreThoseOfEachAllocation) {
    expect_same_paths(lay_out(random_trace(GetParam(), 20, 5)));
    expect_same_paths(lay_out(random_trace(GetParam(), 800, 60)));
    expect_same_paths(lay_out(random_trace(GetParam(), 5'000, 1'000)));
}

TEST_P(AllPathsOf, FilesThatGivePolygonsAreTheRecordedOnes) {
    const std::shared_ptr<Snapshot> given = as_polygons(lay_out(random_trace(GetParam(), 200, 30)));
    const Timeline timeline = lay_out(given);
    ASSERT_TRUE(timeline.has_recorded_paths());
    expect_same_paths(timeline);
}

INSTANTIATE_TEST_SUITE_P(Seeds, AllPathsOf, ::testing::Range(1U, 5U));

TEST(AllPaths, BeginWithWhatWasThereBefore) {
    // Blocks 1 and 2 are freed without a recorded allocation, so they exist from the beginning, stacked on each other.
    const Timeline timeline = lay_out(TraceBuilder().free(1, 100).alloc(3, 7).free(2, 30).alloc(4, 9).build());
    ASSERT_EQ(timeline.trace().initial_count, 2U);
    expect_same_paths(timeline);
}

TEST(AllPaths, MayBeOfNothing) {
    expect_same_paths(lay_out(TraceBuilder().build()));
    expect_same_paths(lay_out(TraceBuilder().alloc(1, 100).build()));
}

}  // namespace
}  // namespace snapviewer
