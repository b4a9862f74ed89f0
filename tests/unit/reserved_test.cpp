#include "core/trace/segments.h"

#include <gtest/gtest.h>

#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using test::TraceBuilder;

constexpr BlockState k_idle = BlockState::inactive;
constexpr BlockState k_used = BlockState::active_allocated;

ReservedKnown known(TraceBuilder& trace) { return trace.build()->devices[0].reserved_known; }

TraceBuilder& with_segment_stack(TraceBuilder& trace) {
    const StackId stack = trace.raw().stacks.intern_stack(std::vector{trace.raw().stacks.intern_frame({})});
    trace.raw().segments.back().stack = stack;
    return trace;
}

TEST(ReservedIsKnown, NotAtAllWithoutSegments) {
    TraceBuilder trace;
    trace.alloc(0x1000, 600);
    const auto snapshot = trace.build();
    EXPECT_EQ(snapshot->devices[0].reserved_known, ReservedKnown::no);
    EXPECT_FALSE(reserved_at_end(*snapshot, snapshot->devices[0]).has_value());
    EXPECT_TRUE(snapshot->log.entries().empty());
}

TEST(ReservedIsKnown, ThroughoutWhereEveryBlockLiesInASegmentOfItsTime) {
    // 0x9000 is reserved while the second block lives: 2048 bytes in total after the first event, 1024 before it and at the
    // end.
    TraceBuilder trace;
    trace.alloc(0x1000, 600).event(Action::segment_alloc, 0x9000, 1024).alloc(0x9000, 900).free(0x9000, 900);
    trace.event(Action::segment_free, 0x9000, 1024).segment(0x1000, {{1024, k_idle}});
    const auto snapshot = trace.build();
    EXPECT_EQ(snapshot->devices[0].reserved_known, ReservedKnown::throughout);
    EXPECT_TRUE(snapshot->log.entries().empty());
    const auto history = reserved_history(*snapshot, snapshot->devices[0]);
    ASSERT_TRUE(history.has_value());
    EXPECT_EQ(history->bytes_at_start, 1024U);
    EXPECT_EQ(history->after_events(2), 2048U);
    EXPECT_EQ(history->after_events(6), 1024U);
}

TEST(ReservedIsKnown, AtTheEndAloneWhereABlockLiesInNoSegment) {
    TraceBuilder trace;
    trace.event(Action::segment_alloc, 0x1000, 1024).alloc(0x1000, 600).alloc(0x9000, 900).free(0x9000, 900);
    trace.segment(0x1000, {{1024, k_idle}});
    const auto snapshot = trace.build();
    EXPECT_EQ(snapshot->devices[0].reserved_known, ReservedKnown::at_end);
    EXPECT_FALSE(reserved_history(*snapshot, snapshot->devices[0]).has_value());
    EXPECT_EQ(reserved_at_end(*snapshot, snapshot->devices[0]), 1024U);
    ASSERT_EQ(snapshot->log.entries().size(), 1U);
    EXPECT_EQ(snapshot->log.entries()[0].code, "reserved_at_end");
    for (const char* value : {"device 0 ", "event 2 "})
        EXPECT_NE(snapshot->log.entries()[0].message.find(value), std::string::npos) << value;
}

TEST(ReservedIsKnown, MoreLiveThanReservedIsNoContradictionWithinTheSegments) {
    // The free of the first block was lost: 600 + 500 bytes in a segment of 1024, none of it outside.
    TraceBuilder trace;
    trace.event(Action::segment_alloc, 0x1000, 1024).alloc(0x1000, 600).alloc(0x1200, 500).segment(0x1000, {{1024, k_idle}});
    EXPECT_EQ(known(trace), ReservedKnown::throughout);
}

TEST(ReservedIsKnown, AtTheEndAloneWhereSegmentEventsContradictTheSegments) {
    TraceBuilder reserves_more;
    reserves_more.event(Action::segment_alloc, 0x5000, 4096).segment(0x1000, {{1024, k_idle}});
    EXPECT_EQ(known(reserves_more), ReservedKnown::at_end);
    TraceBuilder unmaps_beyond;
    unmaps_beyond.event(Action::segment_map, 0x1000, 4096).event(Action::segment_unmap, 0x1000, 2048);
    unmaps_beyond.segment(0x1000, {{4096, k_idle}});
    unmaps_beyond.raw().segments.back().is_expandable = true;
    EXPECT_EQ(known(unmaps_beyond), ReservedKnown::at_end);
}

TEST(ReservedIsKnown, AtTheEndAloneWhereASegmentGoesBeforeItsBlock) {
    TraceBuilder trace;
    trace.event(Action::segment_alloc, 0x1000, 1024).alloc(0x1000, 600).event(Action::segment_free, 0x1000, 1024);
    trace.free(0x1000, 600).segment(0x9000, {{512, k_idle}});
    EXPECT_EQ(known(trace), ReservedKnown::at_end);
}

TEST(ReservedIsKnown, AnAddressUsedTwiceIsFreedOnce) {
    // The first free at 0x1000 was not recorded, so two allocs match one free. Afterwards the segment is empty and may be
    // released.
    TraceBuilder trace;
    trace.event(Action::segment_alloc, 0x1000, 1024).alloc(0x1000, 600).alloc(0x1000, 700).free(0x1000, 700);
    trace.event(Action::segment_free, 0x1000, 1024).segment(0x9000, {{512, k_idle}});
    EXPECT_EQ(known(trace), ReservedKnown::throughout);
}

TEST(ReservedIsKnown, MappedPagesJoin) {
    TraceBuilder trace;
    trace.event(Action::segment_map, 0x1000, 0x1000).event(Action::segment_map, 0x2000, 0x1000).alloc(0x1800, 0x1000);
    trace.free(0x1800, 0x1000).event(Action::segment_unmap, 0x1800, 0x1000);
    trace.segment(0x1000, {{0x800, k_idle}}).segment(0x2800, {{0x800, k_idle}});
    for (Segment& segment : trace.raw().segments) segment.is_expandable = true;
    EXPECT_EQ(known(trace), ReservedKnown::throughout);
}

TEST(ReservedIsKnown, WithoutSegmentEventsItIsTakenForConstant) {
    TraceBuilder trace;
    trace.alloc(0x1000, 600).free(0x1000, 600).segment(0x1000, {{1024, k_idle}});
    const auto snapshot = trace.build();
    EXPECT_EQ(snapshot->devices[0].reserved_known, ReservedKnown::throughout);
    ASSERT_EQ(snapshot->log.entries().size(), 1U);
    EXPECT_EQ(snapshot->log.entries()[0].code, "no_segment_events");
}

TEST(ReservedIsKnown, SkippedSegmentEventsAreToldByASegmentWithAStack) {
    TraceBuilder trace;
    trace.alloc(0x1000, 600).free(0x1000, 600).segment(0x1000, {{1024, k_idle}});
    EXPECT_EQ(known(with_segment_stack(trace)), ReservedKnown::at_end);
    // A block is freed whose alloc was not recorded: the ring buffer lost the beginning, and with it the event of the
    // segment.
    TraceBuilder lost;
    lost.free(0x1000, 600).segment(0x1000, {{1024, k_idle}});
    EXPECT_EQ(known(with_segment_stack(lost)), ReservedKnown::throughout);
    // A block with a stack existed before the recording, so the beginning was lost here, too.
    TraceBuilder standing;
    standing.alloc(0x1200, 100).segment(0x1000, {{512, k_used}, {512, k_used}});
    with_segment_stack(standing);
    standing.raw().blocks.front().stack = standing.raw().segments.back().stack;
    EXPECT_EQ(known(standing), ReservedKnown::throughout);
}

}  // namespace
}  // namespace snapviewer
