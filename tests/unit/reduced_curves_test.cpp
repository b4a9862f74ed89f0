#include "core/analysis/compare/curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "tests/unit/trace_builder.h"

namespace snapviewer::test {
namespace {

using Columns = std::vector<std::optional<std::uint64_t>>;

steps::Steps two_steps_of_ten(std::uint64_t first_step) {
    steps::Steps steps;
    steps.method = steps::StepMethod::marks;
    for (std::uint32_t i = 0; i < 2; ++i) {
        steps::TrainingStep step;
        step.name = "step " + std::to_string(i);
        step.begin_event = 10 * i;
        step.end_event = 10 * i + 10;
        step.begin_step = first_step + 10 * i;
        step.end_step = step.begin_step + 10;
        steps.steps.push_back(step);
    }
    steps.complete = 2;
    return steps;
}

TEST(ReducedCurves, NoPeakIsLost) {
    TraceBuilder trace;
    for (std::uint64_t i = 0; i < 40; ++i) trace.alloc(0x1000 + 0x100 * i, 10);
    trace.alloc(0x9000, 900).free(0x9000, 900);
    for (std::uint64_t i = 0; i < 40; ++i) trace.alloc(0xa000 + 0x100 * i, 1);
    const Timeline timeline = lay_out(trace.build());
    for (const std::size_t most : {1U, 2U, 7U, 1000U}) {
        const compare::ReducedTotals reduced = compare::reduce_totals(timeline, {}, most);
        EXPECT_LE(reduced.points.size(), most);
        EXPECT_EQ(std::ranges::max(reduced.points, {}, &compare::ReducedPoint::bytes).bytes, 1300U);
        EXPECT_TRUE(std::ranges::is_sorted(reduced.points, {}, &compare::ReducedPoint::step));
    }
}

TEST(ReducedCurves, TrainingStepsLieOverEachOther) {
    // The second recording begins 30 steps before the first one.
    const std::vector<std::shared_ptr<const compare::ReducedTotals>> recordings = {
        std::make_shared<compare::ReducedTotals>(
            compare::ReducedTotals{{{0, 1}, {10, 5}, {20, 6}, {30, 2}}, 30, two_steps_of_ten(10)}),
        std::make_shared<compare::ReducedTotals>(
            compare::ReducedTotals{{{40, 7}, {50, 8}, {60, 1}}, 60, two_steps_of_ten(40)})};
    const compare::ReducedCurves curves = compare::align_by_steps(recordings, 6);
    EXPECT_EQ(curves.begin, -30);
    EXPECT_EQ(curves.end, 30);
    const auto no = std::nullopt;
    ASSERT_EQ(curves.totals.size(), 2U);
    EXPECT_EQ(curves.totals[0], (Columns{no, no, no, 1, 5, 6}));
    EXPECT_EQ(curves.totals[1], (Columns{no, no, no, no, 7, 8}));
    EXPECT_EQ(curves.methods[1], compare::Alignment::Method::step_order);
    EXPECT_EQ(curves.first_steps, (std::vector<std::pair<double, double>>{{10, 20}, {20, 30}}));
}

TEST(ReducedCurves, WithoutStepsEachTakesTheWholeWidth) {
    const std::vector<std::shared_ptr<const compare::ReducedTotals>> recordings = {
        std::make_shared<compare::ReducedTotals>(compare::ReducedTotals{{{0, 1}, {50, 5}}, 100, {}}),
        std::make_shared<compare::ReducedTotals>(compare::ReducedTotals{{{0, 2}, {5, 9}}, 10, {}})};
    const compare::ReducedCurves curves = compare::align_by_steps(recordings, 4);
    EXPECT_EQ(curves.totals[0], (Columns{1, 1, 5, std::nullopt}));
    EXPECT_EQ(curves.totals[1], (Columns{2, 2, 9, std::nullopt}));
    EXPECT_TRUE(compare::align_by_steps({}, 4).totals.empty());
}

/// Totals with equal bytes and steps, and a point every 100 microseconds from `begin_us` on.
std::shared_ptr<const compare::ReducedTotals> clocked(std::int64_t begin_us, std::size_t points) {
    auto totals = std::make_shared<compare::ReducedTotals>();
    for (std::size_t i = 0; i < points; ++i)
        totals->points.push_back({i, i + 1, begin_us + 100 * static_cast<std::int64_t>(i)});
    totals->step_count = points;
    return totals;
}

constexpr std::int64_t k_some_day_us = 1'760'000'000'000'000;

TEST(ReducedCurves, EachLiesWhereItsClockSays) {
    const std::vector<std::shared_ptr<const compare::ReducedTotals>> recordings = {clocked(k_some_day_us + 200, 3),
                                                                                   clocked(k_some_day_us, 5)};
    EXPECT_FALSE(compare::find_missing_clock(recordings));
    const compare::ReducedCurves curves = compare::align_by_clock(recordings, 4);
    EXPECT_EQ(curves.start_us, k_some_day_us);
    EXPECT_EQ(curves.begin, 0);
    EXPECT_EQ(curves.end, 400);
    const auto no = std::nullopt;
    ASSERT_EQ(curves.totals.size(), 2U);
    EXPECT_EQ(curves.totals[0], (Columns{no, no, 1, 3}));  // a point on the right edge belongs to the last column
    EXPECT_EQ(curves.totals[1], (Columns{1, 2, 3, 5}));
    EXPECT_TRUE(curves.first_steps.empty());
}

TEST(ReducedCurves, ClocksThatDoNotAgree) {
    const auto first = clocked(k_some_day_us, 3);
    const auto meets = clocked(k_some_day_us + 200, 3);
    const auto later = clocked(k_some_day_us + 201, 3);
    EXPECT_FALSE(compare::find_missing_clock(std::vector{first, meets}));
    const auto apart = compare::find_missing_clock(std::vector{meets, later, first});
    ASSERT_TRUE(apart);
    EXPECT_EQ(apart->recording, 2U);
    EXPECT_EQ(apart->other, 1U);
    // A clock that starts with the machine, and a recording without a clock.
    const auto since_start = clocked(5'000'000, 3);
    EXPECT_EQ(compare::find_missing_clock(std::vector{since_start, since_start})->recording, 0U);
    const auto without = clocked(k_no_time, 1);
    const auto none = compare::find_missing_clock(std::vector{first, without});
    ASSERT_TRUE(none);
    EXPECT_EQ(none->recording, 1U);
    EXPECT_FALSE(none->other);
    EXPECT_TRUE(compare::align_by_clock(std::vector{first, without}, 4).totals.empty());
    EXPECT_FALSE(compare::find_missing_clock({}));
}

TEST(ReducedCurves, TimesComeFromTheWallClock) {
    TraceBuilder trace;
    trace.alloc(0x1000, 10).at_time(k_some_day_us);
    trace.alloc(0x2000, 20).at_time(k_some_day_us + 5);
    trace.free(0x2000, 20).at_time(k_some_day_us + 9);
    const compare::ReducedTotals reduced = compare::reduce_totals(lay_out(trace.build()), {}, 100);
    ASSERT_FALSE(reduced.points.empty());
    EXPECT_EQ(reduced.points.front().time_us, k_some_day_us);
    EXPECT_EQ(reduced.points.back().time_us, k_some_day_us + 9);
}

}  // namespace
}  // namespace snapviewer::test
