#include "core/timeline/emphasis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "tests/unit/trace_builder.h"

namespace snapviewer::hits_test {
namespace {

using test::lay_out;
using test::TraceBuilder;

/// A timeline of allocations of all sizes and lifetimes, some of which are never freed.
Timeline scattered_timeline(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&random](std::uint32_t limit) {
        return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
    };
    TraceBuilder trace;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> open;
    for (std::uint64_t i = 0; i < 500; ++i) {
        open.emplace_back(0x100000 * (i + 1), std::uint64_t{1} << below(20));
        trace.alloc(open.back().first, open.back().second);
        if (below(4) == 0) continue;
        const std::size_t gone = below(2) == 0 ? open.size() - 1 : below(static_cast<std::uint32_t>(open.size()));
        trace.free(open[gone].first, open[gone].second);
        open.erase(open.begin() + static_cast<std::ptrdiff_t>(gone));
    }
    return lay_out(trace.build());
}

double place(const Timeline& timeline, Axis axis, std::uint32_t tick) {
    return static_cast<double>(axis == Axis::steps ? timeline.step_of_tick(tick)
                                                   : static_cast<std::uint64_t>(timeline.tick_times_us()[tick]));
}

/// The expected columns, computed from every hit.
std::set<std::uint32_t> plainly(const Timeline& timeline, const Emphasis& emphasis, Axis axis, const View& view,
                                const PictureSize& size) {
    std::set<std::uint32_t> columns;
    for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) {
        const AllocationId id{i};
        if (!emphasis.contains(id)) continue;
        const double begin = place(timeline, axis, timeline.first_tick(id));
        const double end = place(timeline, axis, timeline.last_tick(id));
        const double width_px = (end - begin) / view.width() * size.width_px;
        const double height_px =
            static_cast<double>(timeline.trace().allocations.size_bytes[i]) / view.height() * size.height_px;
        if (width_px >= 4 && height_px >= 4) continue;
        if (begin > view.x_end || (begin < view.x_begin && end <= view.x_begin)) continue;
        const double column = std::floor((begin - view.x_begin) / view.width() * size.width_px);
        columns.insert(static_cast<std::uint32_t>(std::clamp(column, 0.0, size.width_px - 1)));
    }
    return columns;
}

TEST(Hits, SayWhichOfThemOneIs) {
    const Timeline timeline = scattered_timeline(1);
    const Emphasis odd = Emphasis::where(timeline.allocation_count(), [](AllocationId id) { return id.value % 2 == 1; });
    const Hits hits(timeline, odd);
    EXPECT_EQ(hits.size(), odd.count());
    EXPECT_EQ(hits.place_of(AllocationId{1}), 0U);
    EXPECT_EQ(hits.place_of(AllocationId{7}), 3U);
    EXPECT_EQ(hits.place_of(AllocationId{8}), std::nullopt);
    EXPECT_EQ(hits.place_of(AllocationId::none()), std::nullopt);
    EXPECT_EQ(Hits().place_of(AllocationId{0}), std::nullopt);
}

TEST(Hits, MarkTheColumnsThatALookAtEachOneMarks) {
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
        const Timeline timeline = scattered_timeline(seed);
        std::mt19937 random(seed);
        const auto steps = static_cast<double>(timeline.step_count());
        const auto peak = static_cast<double>(timeline.peak_bytes());
        for (int round = 0; round < 60; ++round) {
            const auto share = [&random] { return std::uniform_real_distribution<double>(0, 1)(random); };
            const Emphasis some = Emphasis::where(timeline.allocation_count(), [&](AllocationId) { return share() < 0.3; });
            const Axis axis = round % 2 == 0 ? Axis::steps : Axis::time;
            const double length = axis == Axis::steps ? steps : static_cast<double>(timeline.tick_times_us().back());
            // Offsets by half a step, so that nothing begins exactly at the edge of a column.
            const double begin = round % 3 == 0 ? 0 : std::floor(share() * length * 0.8) + 0.41421356;
            const View view{begin, begin + std::floor(share() * length) + 7.31415926, 0, peak * (share() + 0.01)};
            const PictureSize size{std::floor(50 + share() * 900), std::floor(50 + share() * 500)};
            const auto columns = Hits(timeline, some).columns_of_small(timeline, axis, view, size);
            EXPECT_TRUE(std::ranges::is_sorted(columns));
            EXPECT_EQ(std::set(columns.begin(), columns.end()), plainly(timeline, some, axis, view, size))
                << seed << " " << round;
        }
    }
}

TEST(Hits, OneThatIsTooSmallIsComeNearTo) {
    const ViewLimits limits{10'000, 1e9, 4, 64};
    const PictureSize size{1000, 500};
    const View all{0, 10'000, 0, 1e9};
    // An allocation of 2000 steps and 100 MB is visible in a picture with 10 steps and 2 MB per pixel.
    EXPECT_EQ(zoom_to_hit(all, {1000, 3000, 5e8, 1e8}, size, limits), all);
    // An allocation of 5 steps is zoomed to 48 pixels of width, centred; the y range does not change.
    const View narrow = zoom_to_hit(all, {5000, 5005, 5e8, 1e8}, size, limits);
    EXPECT_NEAR(5 / narrow.width() * 1000, 48, 1e-6);
    EXPECT_NEAR((narrow.x_begin + narrow.x_end) / 2, 5002.5, 1e-6);
    EXPECT_EQ(narrow.y_end, all.y_end);
    // An allocation of 1 MB is zoomed to 48 pixels of height; the x range does not change.
    const View low = zoom_to_hit(all, {1000, 3000, 5e8, 1e6}, size, limits);
    EXPECT_NEAR(1e6 / low.height() * 500, 48, 1e-6);
    EXPECT_TRUE(low.y_begin < 5e8 && low.y_end > 5.01e8);
    EXPECT_EQ(low.x_begin, all.x_begin);
    EXPECT_EQ(low.x_end, all.x_end);
    // For an allocation at the bottom, the view does not extend below 0.
    EXPECT_EQ(zoom_to_hit(all, {1000, 3000, 0, 1e6}, size, limits).y_begin, 0);
    // The allocation begins outside of the view, so the view moves to its beginning.
    const View later{4000, 6000, 0, 1e9};
    const View begun = zoom_to_hit(later, {1000, 9000, 5e8, 1e6}, size, limits);
    EXPECT_TRUE(begun.x_begin < 1000 && begun.x_end > 1000);
    // The view never gets narrower than the limit, and it does not change before the first picture is drawn.
    EXPECT_EQ(zoom_to_hit(all, {5000, 5000, 5e8, 1}, size, limits).width(), 4);
    EXPECT_EQ(zoom_to_hit(all, {5000, 5000, 5e8, 1}, {}, limits), all);
}

}  // namespace
}  // namespace snapviewer::hits_test
