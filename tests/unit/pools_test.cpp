#include "core/trace/segments.h"

#include <gtest/gtest.h>

#include "tests/unit/column_values.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using test::TraceBuilder;

/// Three allocations: one in a segment of private pool (0, 3), one in the default pool, and one whose segment no longer
/// exists.
std::shared_ptr<const Snapshot> three_pools() {
    TraceBuilder trace;
    trace.alloc(0x1000, 100)
        .alloc(0x2000, 50)
        .alloc(0x9000, 7)
        .segment(0x1000, {{512, BlockState::active_allocated}})
        .segment(0x2000, {{512, BlockState::active_allocated}});
    trace.raw().pools = {{0, 0}, {0, 3}};
    trace.raw().segments[0].pool = 1;
    trace.raw().segments[1].pool = 0;
    return trace.build();
}

TEST(Pools, ComeFromTheSegmentsWhereTheEventsDoNotTell) {
    const auto snapshot = three_pools();
    EXPECT_EQ(test::values_of(snapshot->devices[0].allocations.pool), (std::vector<std::uint16_t>{1, 0, k_no_pool}));
    EXPECT_TRUE(is_private_pool(*snapshot, 1));
    EXPECT_FALSE(is_private_pool(*snapshot, 0));
}

TEST(Pools, OfTheEventItselfWins) {
    TraceBuilder trace;
    trace.alloc(0x1000, 100).segment(0x1000, {{512, BlockState::active_allocated}});
    trace.raw().pools = {{0, 0}, {0, 3}};
    trace.raw().segments[0].pool = 0;
    trace.raw().devices[0].events.pool.set(0, 1);
    EXPECT_EQ(test::values_of(trace.build()->devices[0].allocations.pool), (std::vector<std::uint16_t>{1}));
}

TEST(Streams, AreNumberedAsTheyAppear) {
    // The handles are stored in the order 70, 0, 50, 60. The events mention 50 first and then 70; the segments then mention
    // 60.
    TraceBuilder trace;
    trace.raw().streams = {70, 0, 50, 60};
    trace.alloc(1, 1).on_stream(2).alloc(2, 1).on_stream(0).segment(0x1000, {{512, BlockState::inactive}});
    trace.raw().segments[0].stream = 3;
    number_streams(trace.raw());
    EXPECT_EQ(trace.raw().stream_numbers, (std::vector<std::uint32_t>{2, 0, 1, 3}));
    EXPECT_EQ(stream_number(trace.raw(), 3), 3U);
}

}  // namespace
}  // namespace snapviewer
