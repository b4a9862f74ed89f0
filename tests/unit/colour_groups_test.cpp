#include "core/mesh/colours.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

TEST(ColourGroups, CountAllAllocationsAndTheBytesOfThePeak) {
    // The peak is at the third alloc: 100 bytes on the first stream, 30 + 7 on the second. The fourth alloc comes after the
    // peak.
    test::TraceBuilder trace;
    trace.raw().streams = {0, 0xabc};
    trace.alloc(1, 100).alloc(2, 30).on_stream(1).alloc(3, 7).on_stream(1);
    trace.free(1, 100).alloc(4, 5).on_stream(1);
    trace.raw().stream_numbers = {0, 1};
    const Timeline timeline = Timeline::build(trace.build(), 0);
    const mesh::ColourGroups found = mesh::colour_groups(timeline, mesh::ColourBy::stream);
    ASSERT_EQ(found.groups.size(), 2U);
    EXPECT_EQ(found.groups[0].name, "stream 0");
    EXPECT_EQ(found.groups[0].count, 1U);
    EXPECT_EQ(found.groups[0].bytes, 100U);
    EXPECT_EQ(found.groups[1].name, "stream 1");
    EXPECT_EQ(found.groups[1].count, 3U);
    EXPECT_EQ(found.groups[1].bytes, 37U);
    EXPECT_TRUE(mesh::colour_groups(timeline, mesh::ColourBy::size).groups.empty());
    EXPECT_EQ(mesh::why_no_colours(timeline, mesh::ColourBy::stream), "");
}

TEST(ColourGroups, AColouringThatTellsNothingSaysWhy) {
    const Timeline timeline = test::lay_out(test::TraceBuilder().alloc(1, 100).alloc(2, 30).build());
    std::set<std::string> reasons = {""};
    for (const mesh::ColourBy by : {mesh::ColourBy::stream, mesh::ColourBy::pool, mesh::ColourBy::category})
        EXPECT_TRUE(reasons.insert(mesh::why_no_colours(timeline, by)).second);
    for (const mesh::ColourBy by : {mesh::ColourBy::stack, mesh::ColourBy::size, mesh::ColourBy::age, mesh::ColourBy::kind})
        EXPECT_EQ(mesh::why_no_colours(timeline, by), "");
}

}  // namespace
}  // namespace snapviewer
