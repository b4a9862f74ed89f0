#include "core/analysis/compare/compare.h"

#include <gtest/gtest.h>

#include "core/analysis/compare/curves.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer::test {
namespace {

/// A timeline of two lines of a program, one of which allocates twice, and a block that existed before the recording.
Timeline two_lines() {
    TraceBuilder trace;
    const Frame load{trace.text("load.py"), trace.text("load"), 1};
    const Frame train{trace.text("train.py"), trace.text("train"), 2};
    trace.alloc(0x1000, 100).with_stack({load});
    trace.alloc(0x2000, 50).with_stack({train});
    trace.free(0x1000, 100);
    trace.alloc(0x3000, 200).with_stack({load});
    trace.free(0x9000, 70);
    return lay_out(trace.build());
}

/// A device with its own file, in the form that analyses take.
struct AnalysedDevice {
    std::shared_ptr<const Timeline> timeline;
    findings::Analyses analyses;
    explicit AnalysedDevice(Timeline laid_out)
        : timeline(std::make_shared<const Timeline>(std::move(laid_out))), analyses(timeline->snapshot(), {timeline}) {}
    findings::DeviceAnalyses& device() { return analyses.device(0); }
};

std::uint64_t bytes_under(const compare::ComparedStacks& stacks, const Timeline& timeline,
                          const std::vector<std::string>& keys, compare::CompareBasis basis = compare::CompareBasis::all) {
    std::uint64_t bytes = 0;
    for (const AllocationId id : stacks.allocations_of(timeline, keys, basis))
        bytes += timeline.trace().allocations.size_bytes[id.value];
    return bytes;
}

TEST(ComparedStacks, ARowStandsForAllThatItsStackMade) {
    AnalysedDevice file(two_lines());
    for (const compare::CompareBy by :
         {compare::CompareBy::stack, compare::CompareBy::function, compare::CompareBy::python, compare::CompareBy::source}) {
        const compare::ComparedStacks stacks = compare::ComparedStacks::build(file.device(), by);
        const compare::PeakGroups peak = compare::group_peak(file.device(), by, compare::CompareBasis::all);
        ASSERT_EQ(peak.groups.size(), 3U);
        std::vector<std::string> keys;
        for (const auto& [key, group] : peak.groups) {
            keys.push_back(key);
            EXPECT_EQ(bytes_under(stacks, *file.timeline, {key}), group.source.starts_with("load")    ? 300U
                                                                  : group.source.starts_with("train") ? 50U
                                                                                                      : 70U);
        }
        EXPECT_EQ(bytes_under(stacks, *file.timeline, keys), 420U);
    }
}

TEST(ComparedStacks, WhatTheRecordingDidNotSeeIsLeftOutWhereThatIsAsked) {
    AnalysedDevice file(two_lines());
    const compare::ComparedStacks stacks = compare::ComparedStacks::build(file.device(), compare::CompareBy::stack);
    EXPECT_EQ(bytes_under(stacks, *file.timeline, {std::string(compare::k_compared_before)}), 70U);
    EXPECT_EQ(
        bytes_under(stacks, *file.timeline, {std::string(compare::k_compared_before)}, compare::CompareBasis::recorded), 0U);
    EXPECT_EQ(bytes_under(stacks, *file.timeline, {"of another file"}), 0U);
    EXPECT_EQ(bytes_under(stacks, *file.timeline, {}), 0U);
}

TEST(ComparedStacks, ByKindEveryAllocationIsInOneRow) {
    AnalysedDevice file(two_lines());
    const compare::ComparedStacks stacks = compare::ComparedStacks::build(file.device(), compare::CompareBy::kind);
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < kinds::k_allocation_kinds; ++i)
        bytes += bytes_under(stacks, *file.timeline, {kinds::allocation_kind_name(static_cast<kinds::AllocationKind>(i))});
    EXPECT_EQ(bytes, 420U);
    std::uint64_t recorded = 0;
    for (const auto& [key, group] :
         compare::group_peak(file.device(), compare::CompareBy::kind, compare::CompareBasis::recorded).groups)
        recorded += group.bytes;
    EXPECT_EQ(recorded, 250U);  // lines 1 and 2 at the peak, without blocks that existed before the recording
}

/// A timeline of one line that two callers call, with the bytes that it allocates for each of them.
Timeline one_line_of_two_callers(std::uint64_t from_train, std::uint64_t from_evaluate) {
    TraceBuilder trace;
    const Frame forward{trace.text("model.py"), trace.text("forward"), 10};
    trace.alloc(0x10000, from_train).with_stack({forward, {trace.text("run.py"), trace.text("train"), 1}});
    trace.alloc(0x20000, from_evaluate).with_stack({forward, {trace.text("run.py"), trace.text("evaluate"), 2}});
    return lay_out(trace.build());
}

TEST(CompareDevices, SaysWhatCancelsOutUnderOneLine) {
    AnalysedDevice a(one_line_of_two_callers(1000, 200));
    AnalysedDevice b(one_line_of_two_callers(300, 900));
    const auto hidden = [&](compare::CompareBy by) {
        return compare::compare_devices(a.device(), b.device(), by, compare::CompareBasis::all).hidden_bytes;
    };
    EXPECT_EQ(hidden(compare::CompareBy::source), 1400U);  // -700 and +700 by source, while the sum by line is unchanged
    EXPECT_EQ(hidden(compare::CompareBy::function), 0U);
    EXPECT_EQ(hidden(compare::CompareBy::stack), 0U);
}

compare::Alignment aligned_at(std::vector<std::pair<std::uint64_t, std::uint64_t>> points) {
    compare::Alignment alignment;
    alignment.method = compare::Alignment::Method::step_order;
    alignment.points = std::move(points);
    return alignment;
}

TEST(SharedAxis, WithoutTrainingStepsEachTakesTheWholeWidth) {
    const compare::SharedAxis axis(compare::Alignment{compare::Alignment::Method::start, {{0, 0}}, {}}, 400, 100);
    EXPECT_EQ(axis.begin(), 0);
    EXPECT_EQ(axis.end(), 400);
    EXPECT_EQ(axis.place_of_b(0), 0);
    EXPECT_EQ(axis.place_of_b(25), 100);
    EXPECT_EQ(axis.place_of_b(100), 400);
}

TEST(SharedAxis, TrainingStepsLieOverEachOtherAndTheRestHasTheirScale) {
    // A's steps are 100 and 300 long, B's 50 and 100. Outside of the steps the scale is 400 to 150.
    const compare::SharedAxis axis(aligned_at({{100, 200}, {200, 250}, {500, 350}}), 600, 500);
    EXPECT_DOUBLE_EQ(axis.place_of_b(200), 100);
    EXPECT_DOUBLE_EQ(axis.place_of_b(225), 150);
    EXPECT_DOUBLE_EQ(axis.place_of_b(300), 350);
    EXPECT_DOUBLE_EQ(axis.place_of_b(350), 500);
    EXPECT_DOUBLE_EQ(axis.place_of_b(500), 900);
    EXPECT_DOUBLE_EQ(axis.end(), 900);
    EXPECT_DOUBLE_EQ(axis.begin(), 100 - 200 * 400 / 150.0);
}

TEST(SharedAxis, StepsThatWouldGoBackwardAreLeftOut) {
    const compare::SharedAxis axis(aligned_at({{10, 50}, {20, 90}, {30, 60}, {40, 100}, {40, 110}}), 40, 120);
    EXPECT_DOUBLE_EQ(axis.place_of_b(70), 15);
    EXPECT_DOUBLE_EQ(axis.place_of_b(95), 30);
    double before = axis.place_of_b(0);
    for (double step = 1; step <= 120; ++step) {
        EXPECT_GT(axis.place_of_b(step), before);
        before = axis.place_of_b(step);
    }
    EXPECT_GT(compare::SharedAxis(aligned_at({{0, 0}, {0, 0}}), 0, 0).end(), 0);
}

TEST(AlignedCurves, KeepEveryPeakAndSayWhereARecordingIsNot) {
    TraceBuilder trace_a;
    for (std::uint64_t i = 0; i < 8; ++i) trace_a.alloc(0x1000 + 0x100 * i, 100);
    const Timeline a = lay_out(trace_a.build());
    TraceBuilder trace_b;
    trace_b.alloc(0x1000, 70).alloc(0x2000, 900).free(0x2000, 900).alloc(0x3000, 30);
    const Timeline b = lay_out(trace_b.build());
    const compare::AlignedCurves whole =
        compare::align_curves(a, b, compare::Alignment{compare::Alignment::Method::start, {{0, 0}}, {}}, 4);
    EXPECT_EQ(whole.a, (std::vector<std::optional<std::uint64_t>>{200, 400, 600, 800}));
    EXPECT_EQ(std::ranges::max(whole.b), std::optional<std::uint64_t>(970));
    EXPECT_TRUE(std::ranges::all_of(whole.b, [](const auto& total) { return total.has_value(); }));
    // B begins two steps before A's end and extends beyond it.
    const compare::AlignedCurves later = compare::align_curves(a, b, aligned_at({{6, 0}, {8, 2}}), 8);
    EXPECT_EQ(later.begin, 0);
    EXPECT_FALSE(later.b.front().has_value());
    EXPECT_TRUE(later.b.back().has_value());
    EXPECT_FALSE(later.a.back().has_value());
}

TEST(SharedAxis, AStepOfBHasOnePlaceAndThePlaceThatStep) {
    const compare::SharedAxis axis(aligned_at({{10, 5}, {30, 15}, {40, 35}}), 100, 50);
    for (const double step : {0.0, 5.0, 10.0, 15.0, 20.0, 35.0, 50.0})
        EXPECT_NEAR(axis.step_of_b(axis.place_of_b(step)), step, 1e-9);
    EXPECT_EQ(axis.place_of_b(10), 20);
    EXPECT_EQ(axis.step_of_b(35), 25);
    EXPECT_EQ(axis.begin(), 0);
    EXPECT_EQ(axis.end(), 100);
    // B begins before A and ends after it.
    const compare::SharedAxis wider(aligned_at({{10, 15}, {40, 45}}), 50, 100);
    EXPECT_EQ(wider.begin(), -5);
    EXPECT_EQ(wider.end(), 95);
}

}  // namespace
}  // namespace snapviewer::test
