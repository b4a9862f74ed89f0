#include "core/timeline/totals.h"

#include <gtest/gtest.h>

#include "tests/unit/trace_builder.h"

namespace snapviewer::highest_totals_test {
namespace {

using Totals = std::vector<std::uint64_t>;

/// A timeline with the totals 100 in steps 0..1, 300 in 1..2, and then 200, which it reaches by sliding from step 2 to 6.
Timeline three_ticks() {
    test::TraceBuilder trace;
    trace.alloc(0x1000, 100).alloc(0x2000, 200).free(0x1000, 100).alloc(0x3000, 50);
    return test::lay_out(trace.build());
}

TEST(HighestTotals, ByParts) {
    const Timeline timeline = three_ticks();
    EXPECT_EQ(highest_totals(timeline, Axis::steps, 1), Totals{300});
    EXPECT_TRUE(highest_totals(timeline, Axis::steps, 0).empty());
    for (const std::size_t parts : {2U, 3U, 7U, 50U}) {
        const Totals highest = highest_totals(timeline, Axis::steps, parts);
        ASSERT_EQ(highest.size(), parts);
        EXPECT_EQ(*std::ranges::max_element(highest), 300U) << "the peak is in each of them";
        EXPECT_EQ(highest.back(), 250U);
    }
}

/// Compares with the maximum of the totals at a thousand places of each part.
TEST(HighestTotals, AreThoseOfAPlainLook) {
    const Timeline timeline = three_ticks();
    for (const Axis axis : {Axis::steps, Axis::time}) {
        const double end = axis == Axis::steps ? static_cast<double>(timeline.step_count())
                                               : static_cast<double>(timeline.tick_times_us().back());
        const Totals highest = highest_totals(timeline, axis, 6);
        for (std::size_t part = 0; part < 6; ++part) {
            std::uint64_t most = 0;
            for (int i = 0; i < 1000; ++i) {
                const double x = end * (static_cast<double>(part) + (i + 0.5) / 1000) / 6;
                most = std::max(most, timeline.total_after_tick(timeline.tick_at(axis, x)));
            }
            EXPECT_GE(highest[part], most) << part;
            const auto at = [&](double share) { return timeline.total_after_tick(timeline.tick_at(axis, end * share)); };
            EXPECT_LE(highest[part],
                      std::max({most, at((static_cast<double>(part) + 1) / 6), at(static_cast<double>(part) / 6)}));
        }
    }
}

}  // namespace
}  // namespace snapviewer::highest_totals_test
