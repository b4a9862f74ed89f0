#include "core/analysis/reduced_curves.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "tests/unit/trace_builder.h"

namespace snapviewer::test {
namespace {

using Columns = std::vector<std::optional<std::uint64_t>>;

Steps two_steps_of_ten(std::uint64_t first_step) {
    Steps steps;
    steps.method = StepMethod::marks;
    for (std::uint32_t i = 0; i < 2; ++i) {
        TrainingStep step;
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
        const ReducedTotals reduced = reduce_totals(timeline, {}, most);
        EXPECT_LE(reduced.points.size(), most);
        EXPECT_EQ(std::ranges::max(reduced.points, {}, [](const auto& point) { return point.second; }).second, 1300U);
        EXPECT_TRUE(std::ranges::is_sorted(reduced.points));
    }
}

TEST(ReducedCurves, TrainingStepsLieOverEachOther) {
    // The second begins 30 steps before the first.
    const std::vector<std::shared_ptr<const ReducedTotals>> recordings = {
        std::make_shared<ReducedTotals>(ReducedTotals{{{0, 1}, {10, 5}, {20, 6}, {30, 2}}, 30, two_steps_of_ten(10)}),
        std::make_shared<ReducedTotals>(ReducedTotals{{{40, 7}, {50, 8}, {60, 1}}, 60, two_steps_of_ten(40)})};
    const ReducedCurves curves = align_reduced(recordings, 6);
    EXPECT_EQ(curves.begin, -30);
    EXPECT_EQ(curves.end, 30);
    const auto no = std::nullopt;
    ASSERT_EQ(curves.totals.size(), 2U);
    EXPECT_EQ(curves.totals[0], (Columns{no, no, no, 1, 5, 6}));
    EXPECT_EQ(curves.totals[1], (Columns{no, no, no, no, 7, 8}));
    EXPECT_EQ(curves.methods[1], Alignment::Method::step_order);
    EXPECT_EQ(curves.first_steps, (std::vector<std::pair<double, double>>{{10, 20}, {20, 30}}));
}

TEST(ReducedCurves, WithoutStepsEachTakesTheWholeWidth) {
    const std::vector<std::shared_ptr<const ReducedTotals>> recordings = {
        std::make_shared<ReducedTotals>(ReducedTotals{{{0, 1}, {50, 5}}, 100, {}}),
        std::make_shared<ReducedTotals>(ReducedTotals{{{0, 2}, {5, 9}}, 10, {}})};
    const ReducedCurves curves = align_reduced(recordings, 4);
    EXPECT_EQ(curves.totals[0], (Columns{1, 1, 5, std::nullopt}));
    EXPECT_EQ(curves.totals[1], (Columns{2, 2, 9, std::nullopt}));
    EXPECT_TRUE(align_reduced({}, 4).totals.empty());
}

}  // namespace
}  // namespace snapviewer::test
