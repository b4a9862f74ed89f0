#include "core/timeline/reserved_known.h"
#include "core/trace/reserved.h"

#include <gtest/gtest.h>

#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using test::TraceBuilder;

constexpr BlockState k_idle = BlockState::inactive;

/// The snapshot, looked at; device 0 has all of it.
std::shared_ptr<const Snapshot> checked(TraceBuilder& trace) {
    std::shared_ptr<Snapshot> snapshot = std::const_pointer_cast<Snapshot>(trace.build());
    check_reserved(*snapshot, snapshot->devices[0]);
    return snapshot;
}

TEST(CheckReserved, SegmentsThatContradictTheAllocationsAreNotBelieved) {
    // 1024 bytes are reserved all the time. At the second alloc 600 + 900 are allocated, 476 more; the 900 lie outside.
    TraceBuilder trace;
    trace.alloc(0x1000, 600).alloc(0x9000, 900).free(0x9000, 900).segment(0x1000, {{1024, k_idle}});
    const auto snapshot = checked(trace);
    EXPECT_FALSE(reserved_history(*snapshot, snapshot->devices[0]).has_value());
    ASSERT_EQ(snapshot->log.entries().size(), 1U);
    EXPECT_EQ(snapshot->log.entries()[0].code, "reserved_below_allocated");
    EXPECT_EQ(
        snapshot->log.entries()[0].message,
        "what was reserved on device 0 is not shown, as the segments contradict the allocations: after 2 events 1.5 KiB "
        "are allocated, 476 B more than the segments say was reserved then, and 900 B of it lie in no segment");
}

TEST(CheckReserved, ATrueExcessStays) {
    // The free of the first was lost: 600 + 500 bytes in a segment of 1024, none of it outside.
    TraceBuilder trace;
    trace.alloc(0x1000, 600).alloc(0x1200, 500).segment(0x1000, {{1024, k_idle}});
    const auto snapshot = checked(trace);
    EXPECT_TRUE(snapshot->log.entries().empty());
    ASSERT_TRUE(reserved_history(*snapshot, snapshot->devices[0]).has_value());
    EXPECT_EQ(reserved_history(*snapshot, snapshot->devices[0])->bytes_at_start, 1024U);
}

TEST(CheckReserved, LooksAtWhatWasReservedThen) {
    // 0x9000 was reserved while the second lived: 2048 bytes in all, 476 more than allocated.
    TraceBuilder trace;
    trace.alloc(0x1000, 600).event(Action::segment_alloc, 0x9000, 1024).alloc(0x9000, 900).free(0x9000, 900);
    trace.event(Action::segment_free, 0x9000, 1024).segment(0x1000, {{1024, k_idle}});
    EXPECT_TRUE(checked(trace)->log.entries().empty());
}

TEST(CheckReserved, EventsThatReserveMoreThanThereIsAreTold) {
    TraceBuilder trace;
    trace.event(Action::segment_alloc, 0x1000, 4096).segment(0x1000, {{1024, k_idle}});
    const auto snapshot = checked(trace);
    ASSERT_EQ(snapshot->log.entries().size(), 1U);
    EXPECT_EQ(snapshot->log.entries()[0].code, "segments_contradict_events");
}

}  // namespace
}  // namespace snapviewer
