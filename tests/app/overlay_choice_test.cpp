#include "app/features/timeline/overlay_items.h"

#include <gtest/gtest.h>

#include <limits>

#include "app/features/timeline/timeline_axis.h"
#include "app/ui/texts.h"

namespace snapviewer {
namespace {

Curve curve(const std::string& name, CurveRole role, std::vector<double> values) {
    std::vector<AxisPlace> places;
    for (std::size_t i = 0; i < values.size(); ++i) places.push_back({static_cast<double>(i) * 10, static_cast<double>(i)});
    return {{name, name, "", Unit::bytes, SeriesShape::line, role}, std::move(places), std::move(values)};
}

Overlays training() {
    Overlays overlays;
    overlays.curves.push_back(curve("allocated", CurveRole::allocated, {10, 50, 30}));
    overlays.curves.push_back(curve("active", CurveRole::active, {10, 60, 30}));
    overlays.curves.push_back(curve("reserved", CurveRole::reserved, {80, 80, 90}));
    overlays.levels.push_back({"capacity", "capacity", "", 500});
    overlays.markers.emplace_back();
    return overlays;
}

bool is_shown(const std::vector<OverlayItem>& items, const std::string& name) {
    for (const OverlayItem& item : items) {
        if (item.name == name) return item.is_shown;
    }
    ADD_FAILURE() << name << " is not in the legend";
    return false;
}

TEST(OverlayChoiceTest, WhatNobodyChoseHasADefault) {
    const auto items = overlay_items(training(), {});
    EXPECT_TRUE(is_shown(items, "reserved"));
    EXPECT_TRUE(is_shown(items, "gap"));
    EXPECT_TRUE(is_shown(items, "markers"));
    EXPECT_FALSE(is_shown(items, "allocated"));
    EXPECT_FALSE(is_shown(items, "capacity"));
}

TEST(OverlayChoiceTest, WhatWasChosenGoesBeforeTheDefault) {
    const auto items = overlay_items(training(), {{"reserved", false}, {"capacity", true}, {"of another file", true}});
    EXPECT_FALSE(is_shown(items, "reserved"));
    EXPECT_TRUE(is_shown(items, "capacity"));
    EXPECT_EQ(items.size(), 7U) << "three curves, gap, capacity, peak line, markers";
}

TEST(OverlayChoiceTest, OnlyWhatIsThereCanBeSwitched) {
    const auto items = overlay_items(Overlays{}, {{"reserved", true}});
    ASSERT_EQ(items.size(), 1U);
    EXPECT_EQ(items[0].name, "peak line");
    EXPECT_EQ(gap_curves(Overlays{}).lower, nullptr);
}

TEST(OverlayChoiceTest, NoPeakLineWhereNothingIsAllocated) {
    Overlays overlays;
    overlays.has_allocations = false;
    EXPECT_TRUE(overlay_items(overlays, {}).empty());
}

TEST(OverlayChoiceTest, TheTopIsThatOfWhatIsShown) {
    EXPECT_EQ(shown_top_bytes(training(), {}), 90);
    EXPECT_EQ(shown_top_bytes(training(), {{"capacity", true}}), 500);
    EXPECT_EQ(shown_top_bytes(training(), {{"reserved", false}}), 0);
    EXPECT_EQ(shown_top_bytes(training(), {{"reserved", false}, {"active", true}}), 60);
}

TEST(OverlayChoiceTest, StackedCurvesAreShownAndTheirSumIsTheTop) {
    Overlays overlays;
    overlays.has_allocations = false;
    overlays.curves.push_back(curve("Parameter", CurveRole::other, {100}));
    overlays.curves.push_back(curve("Gradient", CurveRole::other, {0, 40, 0}));
    overlays.curves.push_back(curve("Total", CurveRole::allocated, {100, 140, 100}));
    overlays.stack_tops.push_back(curve("Parameter", CurveRole::other, {100}));
    overlays.stack_tops.push_back(curve("Gradient", CurveRole::other, {100, 140, 100}));
    const auto items = overlay_items(overlays, {});
    ASSERT_EQ(items.size(), 3U);
    EXPECT_TRUE(items[0].is_stacked && items[1].is_stacked && !items[2].is_stacked);
    EXPECT_TRUE(items[0].is_shown && items[1].is_shown && items[2].is_shown);
    EXPECT_EQ(shown_top_bytes(overlays, {{"Total", false}}), 140);
    EXPECT_EQ(shown_top_bytes(overlays, {{"Total", false}, {"Gradient", false}}), 100);
}

TEST(OverlayChoiceTest, TheGapIsFoundUnderAnotherName) {
    Overlays overlays;
    overlays.curves.push_back(curve("Operators Allocated", CurveRole::allocated, {1}));
    overlays.curves.push_back(curve("Operators Reserved", CurveRole::reserved, {2}));
    const GapCurves gap = gap_curves(overlays);
    EXPECT_EQ(gap.lower, &overlays.curves[0]);
    EXPECT_EQ(gap.upper, &overlays.curves[1]);
}

TEST(OverlayChoiceTest, WhatTheProcessHoldsStandsInForWhatIsReserved) {
    Overlays overlays;
    overlays.has_allocations = false;
    overlays.curves.push_back(curve("app", CurveRole::process, {3}));
    overlays.curves.push_back(curve("allocated", CurveRole::allocated, {1}));
    EXPECT_EQ(gap_curves(overlays).upper, &overlays.curves[0]);
    overlays.curves.insert(overlays.curves.begin(), curve("reserved", CurveRole::reserved, {2}));
    EXPECT_EQ(gap_curves(overlays).upper, &overlays.curves[0]);
}

TEST(OverlayChoiceTest, TheGapBeginsAboveWhatIsPending) {
    Overlays overlays = training();
    EXPECT_EQ(gap_curves(overlays).lower, &overlays.curves[0]);
    overlays.in_use = CurveRole::active;
    EXPECT_EQ(gap_curves(overlays).lower, &overlays.curves[1]);
}

TEST(CurveSamplesTest, ColumnsTouchAndComeAnewWithTheView) {
    const Curve steps = curve("steps", CurveRole::other, {0, 100, 20});
    CurveSamples samples;
    const auto columns = samples.of(steps, Axis::steps, {0, 30, 0, 1}, 3);
    ASSERT_EQ(columns.size(), 3U);
    EXPECT_EQ(columns[0], (ValueSpan{0, 0}));
    EXPECT_EQ(columns[1], (ValueSpan{0, 100})) << "the leap from 0 belongs to the second column";
    EXPECT_EQ(columns[2], (ValueSpan{20, 100}));
    EXPECT_EQ(samples.of(steps, Axis::steps, {0, 30, 0, 7}, 3).data(), columns.data()) << "height does not matter";
    EXPECT_EQ(samples.of(steps, Axis::steps, {20, 30, 0, 1}, 2)[0], (ValueSpan{20, 20}));
}

TEST(CurveSamplesTest, RunsOfEqualColumnsAreOne) {
    const std::vector<ValueSpan> columns = {{1, 1}, {1, 1}, {1, 2}, {3, 3}, {3, 3}, {3, 3}};
    std::vector<std::pair<std::size_t, std::size_t>> runs;
    for_each_run(columns, [&](std::size_t begin, std::size_t end, const ValueSpan&) { runs.emplace_back(begin, end); });
    EXPECT_EQ(runs, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 2}, {2, 3}, {3, 6}}));
}

TEST(ValueTextTest, HasTheUnitThatSuits) {
    EXPECT_EQ(value_text(Unit::bytes, 1.5 * 1024 * 1024 * 1024), "1.5 GiB");
    EXPECT_EQ(value_text(Unit::bytes_per_second, 2048), "2.0 KiB/s");
    EXPECT_EQ(value_text(Unit::megahertz, 1320), "1,320 MHz");
    EXPECT_EQ(value_text(Unit::percent, 12.34), "12.3 %");
    EXPECT_EQ(value_text(Unit::nanoseconds, 900), "900 ns");
    EXPECT_EQ(value_text(Unit::nanoseconds, 12'300'000), "12.3 ms");
    EXPECT_EQ(value_text(Unit::count, -1234), "-1,234");
    EXPECT_EQ(value_text(Unit::count, std::numeric_limits<double>::quiet_NaN()), "not a number");
    EXPECT_FALSE(value_text(Unit::bytes, 1e300).empty()) << "no number is too large to be said";
}

}  // namespace
}  // namespace snapviewer
