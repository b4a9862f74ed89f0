#include "core/timeline/totals.h"

#include <gtest/gtest.h>

#include "tests/unit/trace_builder.h"

namespace snapviewer::range_totals_test {
namespace {

using test::lay_out;
using test::TraceBuilder;

/// A timeline with ticks 1 to 5: allocs of 100 by a, 30 by b and 50 by a, the free of the first, and an alloc of 7 without a
/// stack.
Timeline small_timeline() {
    TraceBuilder trace;
    const Frame a{trace.text("a.py"), trace.text("f"), 1};
    const Frame b{trace.text("b.py"), trace.text("g"), 2};
    trace.alloc(0x1000, 100).with_stack({a});
    trace.alloc(0x2000, 30).with_stack({b});
    trace.alloc(0x3000, 50).with_stack({a});
    trace.free(0x1000, 100);
    trace.alloc(0x4000, 7);
    return lay_out(trace.build());
}

TEST(RangeTotals, CountsWhatTheTicksAfterTheFirstDid) {
    const Timeline timeline = small_timeline();
    const RangeTotals all = range_totals(timeline, 0, timeline.tick_count() - 1, 10);
    EXPECT_EQ(all.net_bytes, 87);
    EXPECT_EQ(all.made, (LiveShare{4, 187}));
    EXPECT_EQ(all.freed, (LiveShare{1, 100}));
    ASSERT_EQ(all.stacks.size(), 3U);
    EXPECT_EQ(all.stacks[0].bytes, 150U);
    EXPECT_EQ(all.stacks[0].count, 2U);
    EXPECT_EQ(all.stacks[1].bytes, 30U);
    EXPECT_EQ(all.stacks[2].bytes, 7U);
    EXPECT_FALSE(all.stacks[2].stack.is_some());

    const std::uint32_t first = timeline.tick_at(Axis::steps, static_cast<double>(timeline.start_step(AllocationId{1})));
    const RangeTotals rest = range_totals(timeline, first, timeline.tick_count() - 1, 1);
    EXPECT_EQ(rest.net_bytes, 50 - 100 + 7);
    ASSERT_EQ(rest.stacks.size(), 1U);
    EXPECT_EQ(rest.stacks[0].bytes, 50U);
}

TEST(RangeTotals, OfNothingIsNothing) {
    const Timeline timeline = small_timeline();
    const RangeTotals none = range_totals(timeline, 2, 2, 3);
    EXPECT_EQ(none.net_bytes, 0);
    EXPECT_EQ(none.made.count + none.freed.count, 0U);
    EXPECT_TRUE(none.stacks.empty());
}

/// The net change of a range is the difference of the totals at its ends, whatever happens between them.
TEST(RangeTotals, NetsWhatTheTotalsDifferBy) {
    const Timeline timeline = small_timeline();
    for (std::uint32_t first = 0; first < timeline.tick_count(); ++first) {
        for (std::uint32_t last = first; last < timeline.tick_count(); ++last) {
            const auto before = static_cast<std::int64_t>(timeline.total_after_tick(first));
            const auto after = static_cast<std::int64_t>(timeline.total_after_tick(last));
            EXPECT_EQ(range_totals(timeline, first, last, 1).net_bytes, after - before) << first << ' ' << last;
        }
    }
}

}  // namespace
}  // namespace snapviewer::range_totals_test
