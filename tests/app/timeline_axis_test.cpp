#include "app/features/timeline/timeline_axis.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

using Numbers = std::vector<double>;

/// A timeline of two allocations, of which the lower one is freed, and then a third. Computed by hand:
///
///     event      alloc a   alloc b   free asked   a freed   alloc c
///     time, us         0        10           20        30        40
///     step             0         1                      3         6     (a free takes 1 step, the slide of b 3 more)
class TimelineAxis : public ::testing::Test {
protected:
    static constexpr AllocationId k_a{0}, k_b{1}, k_c{2};

    TimelineAxis() : timeline_(make()) {}

    static Timeline make() {
        const auto snapshot = test::TraceBuilder().alloc(1, 100).alloc(2, 50).free(1, 100).alloc(3, 7).build();
        return Timeline::build(snapshot, 0);
    }

    Timeline timeline_;
};

TEST_F(TimelineAxis, TicksLieWhereTheEventsAre) {
    EXPECT_EQ(place_of_tick(timeline_, Axis::steps, 3), 3);
    EXPECT_EQ(place_of_tick(timeline_, Axis::time, 3), 30);
    EXPECT_EQ(axis_end(timeline_, Axis::steps), 7);
    EXPECT_EQ(axis_end(timeline_, Axis::time), 40);
    EXPECT_EQ(view_limits(timeline_, Axis::steps).y_end, 150);
}

TEST_F(TimelineAxis, APictureOfOneStepFillsTheWindow) {
    EXPECT_EQ(view_limits(timeline_, Axis::steps).min_width, 4);
    const auto snapshot = test::TraceBuilder().alloc(1, 100).build();
    const ViewLimits limits = view_limits(Timeline::build(snapshot, 0), Axis::steps);
    EXPECT_EQ(limits.x_end, 1);
    EXPECT_EQ(fit_view(limits).x_end, 1);
}

/// The second device's clock starts 15 us later; it covers 15 to 35 us of the first device's clock.
TEST_F(TimelineAxis, TheSameMomentsOfAnotherDevice) {
    const std::int64_t start_us = timeline_.start_time_us() + 15;
    const auto snapshot = test::TraceBuilder()
                              .alloc(9, 300)
                              .at_time(start_us)
                              .alloc(8, 100)
                              .at_time(start_us + 10)
                              .alloc(7, 100)
                              .at_time(start_us + 20)
                              .build();
    const Timeline other = Timeline::build(snapshot, 0);
    const auto on_time = same_moments(timeline_, {20, 30, 40, 50}, other, Axis::time);
    ASSERT_TRUE(on_time);
    EXPECT_EQ(*on_time, (View{5, 15, 0, fit_view(view_limits(other, Axis::time)).y_end}));
    EXPECT_FALSE(same_moments(timeline_, {0, 40, 0, 150}, other, Axis::time)) << "all of it was in view";
    EXPECT_FALSE(same_moments(timeline_, {1, 9, 0, 150}, other, Axis::time)) << "nothing of the other is there";
    // Steps 1 to 3 are 10 to 30 us, so -5 to 15 us of the other device, whose third step is at 20 us.
    const auto on_steps = same_moments(timeline_, {1, 3, 0, 150}, other, Axis::steps);
    ASSERT_TRUE(on_steps);
    EXPECT_LE(on_steps->x_begin, 0);
    EXPECT_GE(on_steps->x_end, 1);
    EXPECT_LE(on_steps->x_end, 4);
}

TEST_F(TimelineAxis, OutlineSlidesOverThreeSteps) {
    const Outline outline = make_outline(timeline_, Axis::steps, k_b);
    EXPECT_EQ(outline.x, (Numbers{1, 3, 6, 7}));
    EXPECT_EQ(outline.low_bytes, (Numbers{100, 100, 0, 0}));
    EXPECT_EQ(outline.size_bytes, 50);
    EXPECT_EQ(bounds(outline), (View{1, 7, 0, 150}));
}

TEST_F(TimelineAxis, OutlineDropsAtOnceOnTheTimeAxis) {
    const Outline outline = make_outline(timeline_, Axis::time, k_b);
    EXPECT_EQ(outline.x, (Numbers{10, 30, 30, 40}));
    EXPECT_EQ(outline.low_bytes, (Numbers{100, 100, 0, 0}));
}

TEST_F(TimelineAxis, ChangingTheAxisKeepsTheMoments) {
    // A quarter of the way from b to the free, and three quarters of the way from there to c.
    const View steps{1.5, 5.25, 3, 90};
    const View time = change_axis(timeline_, steps, Axis::steps, Axis::time);
    EXPECT_DOUBLE_EQ(time.x_begin, 15);
    EXPECT_DOUBLE_EQ(time.x_end, 37.5);
    EXPECT_EQ(time.y_end, 90);
    const View back = change_axis(timeline_, time, Axis::time, Axis::steps);
    EXPECT_DOUBLE_EQ(back.x_begin, 1.375);  // a view is at least four steps wide
    EXPECT_DOUBLE_EQ(back.x_end, 5.375);
}

TEST(ChangeAxis, ShowsEveryTickItShowed) {
    // Changes the axis of random views there and back, with traces in which many events have equal times. Everything visible
    // must stay visible.
    std::mt19937 random(11);
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        Snapshot copy = *test::random_trace(seed, 60, 8);
        for (std::int64_t& time_us : copy.devices[0].events.time_us) time_us = 1'000'000 + (time_us - 1'000'000) / 70 * 70;
        const Timeline timeline = Timeline::build(std::make_shared<const Snapshot>(std::move(copy)), 0);
        for (int round = 0; round < 50; ++round) {
            const std::uint32_t first = static_cast<std::uint32_t>(random() % (timeline.tick_count() - 1));
            const std::uint32_t last = first + static_cast<std::uint32_t>(random() % (timeline.tick_count() - first));
            const double before = static_cast<double>(random() % 3) / 4;
            View view{place_of_tick(timeline, Axis::steps, first) - before, place_of_tick(timeline, Axis::steps, last), 0,
                      1};
            for (const auto& [from, to] : {std::pair{Axis::steps, Axis::time}, std::pair{Axis::time, Axis::steps}}) {
                view = change_axis(timeline, view, from, to);
                EXPECT_LE(view.x_begin, place_of_tick(timeline, to, first)) << seed << " " << round;
                EXPECT_GE(view.x_end, place_of_tick(timeline, to, last)) << seed << " " << round;
            }
        }
    }
}

TEST_F(TimelineAxis, PlacesAreNamedInTheirUnits) {
    EXPECT_EQ(place_text(Axis::steps, 1234.9), "step 1,234");
    EXPECT_EQ(place_text(Axis::time, 12'300), "12.3 ms");
}

TEST_F(TimelineAxis, FramedSelectionHasAirAround) {
    const View target = bounds(make_outline(timeline_, Axis::time, k_a));
    const View view = frame_view(target, view_limits(timeline_, Axis::time));
    EXPECT_LT(view.x_begin, 0);
    EXPECT_GT(view.x_end, 30);
    EXPECT_GT(view.y_end, 100);
}

TEST_F(TimelineAxis, PeakViewIsAboutThePeak) {
    const View view = peak_view(timeline_, Axis::time);
    EXPECT_DOUBLE_EQ((view.x_begin + view.x_end) / 2, 10);  // the moment from which both a and b are live
    EXPECT_GE(view.y_end, 150);
}

TEST_F(TimelineAxis, PeakViewStaysWithinTheRecording) {
    // The peak is the last of six allocs, at 50 us; a window of 8 us ends there.
    const auto rising = test::TraceBuilder().alloc(1, 9).alloc(2, 9).alloc(3, 9).alloc(4, 9).alloc(5, 9).alloc(6, 9).build();
    const Timeline timeline = Timeline::build(rising, 0);
    const View view = peak_view(timeline, Axis::time);
    EXPECT_EQ(view.x_end, 50);
    EXPECT_EQ(view.width(), 8);
}

TEST(CentreView, LeavesNoRoomBeyondTheRecording) {
    const ViewLimits limits{.x_end = 1000, .y_end = 100};
    const auto centred = [&](double x_begin, double x_end, double x) {
        const View view = centre_view({x_begin, x_end, 0, 100}, x, limits);
        return std::pair(view.x_begin, view.x_end);
    };
    EXPECT_EQ(centred(100, 300, 700), std::pair(600.0, 800.0));
    EXPECT_EQ(centred(100, 300, 990), std::pair(800.0, 1000.0));
    EXPECT_EQ(centred(600, 800, 3), std::pair(0.0, 200.0));
    EXPECT_EQ(centred(0, 1000, 1000), std::pair(0.0, 1000.0)) << "all of it is in view";
    EXPECT_EQ(centred(-300, 1000, 1000), std::pair(-300.0, 1000.0)) << "wider than the recording, which stays in view";
    EXPECT_EQ(centred(100, 300, 150), std::pair(100.0, 300.0)) << "well in view";
}

Outline outline_through(const std::vector<std::pair<double, double>>& points) {
    Outline outline;
    for (const auto& [x, low] : points) {
        outline.x.push_back(x);
        outline.low_bytes.push_back(low);
    }
    return outline;
}

TEST(VisiblePoints, KeepTheFirstLowestHighestAndLastOfAColumn) {
    const View all{0, 1000, 0, 200};
    const Outline slide = outline_through({{0, 100}, {500, 100}, {503, 40}, {900, 40}});
    EXPECT_EQ(visible_points(slide, all, 10), (std::vector<std::size_t>{0, 1, 2, 3})) << "upright, not across to the end";

    const Outline busy =
        outline_through({{0, 5}, {500, 5}, {501, 6}, {502, 9}, {503, 7}, {504, 1}, {505, 3}, {506, 4}, {900, 4}});
    EXPECT_EQ(visible_points(busy, all, 10), (std::vector<std::size_t>{0, 1, 3, 5, 7, 8}));
    EXPECT_EQ(visible_points(busy, {503.5, 504.5, 0, 10}, 0.01), (std::vector<std::size_t>{4, 5, 6}))
        << "one beyond each side";
}

}  // namespace
}  // namespace snapviewer
