#include "core/mesh/picture_areas.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/mesh/mesh.h"
#include "tests/unit/brute_force.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

struct Edges {
    double low = 0, high = 0;
};

/// The vertical extent of an area at an x coordinate; nullopt outside of the area.
std::optional<Edges> edges_at(const mesh::PictureArea& area, double x) {
    const auto& points = area.points;
    if (points.empty() || x < points.front().x || x > points.back().x) return std::nullopt;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const mesh::AreaPoint& a = points[i - 1];
        const mesh::AreaPoint& b = points[i];
        if (x > b.x || b.x == a.x) continue;
        const double share = (x - a.x) / (b.x - a.x);
        return Edges{a.low_bytes + share * (b.low_bytes - a.low_bytes),
                     a.high_bytes + share * (b.high_bytes - a.high_bytes)};
    }
    return std::nullopt;
}

bool covers(const mesh::PictureArea& area, double x, double bytes, double margin) {
    const std::optional<Edges> edges = edges_at(area, x);
    return edges && edges->low - margin <= bytes && bytes <= edges->high + margin;
}

std::vector<std::uint32_t> colours_of(const Timeline& timeline) {
    return mesh::allocation_colours(timeline, mesh::ColourBy::stack);
}

TEST(PictureAreas, EveryPointOfAnAllocationLiesOnItsPath) {
    std::size_t looked_at = 0;
    for (const std::uint32_t seed : {1U, 2U, 3U}) {
        const Timeline timeline = test::lay_out(test::random_trace(seed, 300, 30));
        const test::BruteForcePicture picture = test::brute_force(timeline.trace());
        const auto& sizes = timeline.trace().allocations.size_bytes;
        const View view{0, static_cast<double>(timeline.step_count()), 0, static_cast<double>(timeline.peak_bytes())};
        const PictureSize size{4000, 800};
        const double tolerance = 0.2 * view.height() / size.height_px;
        std::map<std::uint32_t, mesh::PictureArea> own;
        for (const mesh::PictureArea& area : mesh::picture_areas(timeline, Axis::steps, view, size, colours_of(timeline))) {
            if (area.id.is_some()) own[area.id.value] = area;
        }
        for (const auto& [id, area] : own) {
            const auto& path = picture.paths[id];
            EXPECT_EQ(area.points.front().x, static_cast<double>(path.front().step));
            EXPECT_EQ(area.points.back().x, static_cast<double>(path.back().step));
            for (const mesh::AreaPoint& point : area.points) {
                const double before = test::height_at(path, point.x - 1.0 / 1024);
                const double after = test::height_at(path, point.x);
                EXPECT_GE(point.low_bytes, std::min(before, after) - tolerance) << id << " at " << point.x;
                EXPECT_LE(point.low_bytes, std::max(before, after) + tolerance) << id << " at " << point.x;
                EXPECT_EQ(point.high_bytes - point.low_bytes, static_cast<double>(sizes[id]));
                ++looked_at;
            }
            for (const PathPoint& point : path) {
                const std::optional<Edges> edges = edges_at(area, static_cast<double>(point.step));
                ASSERT_TRUE(edges) << id;
                EXPECT_NEAR(edges->low, test::height_at(path, static_cast<double>(point.step)), tolerance) << id;
            }
        }
        for (std::uint32_t id = 0; id < timeline.allocation_count(); ++id) {
            const double width = static_cast<double>(picture.paths[id].back().step - picture.paths[id].front().step);
            const bool is_large = static_cast<double>(sizes[id]) >= view.height() / size.height_px;
            const bool is_wide = width >= 2 * view.width() / size.width_px;
            EXPECT_TRUE(!is_large || !is_wide || own.contains(id)) << id;
        }
    }
    EXPECT_GT(looked_at, 500U);
}

TEST(PictureAreas, WhatIsNotDrawnByItselfIsInAnAreaOfSeveral) {
    const Timeline timeline = test::lay_out(test::random_trace(7, 400, 60));
    const test::BruteForcePicture picture = test::brute_force(timeline.trace());
    const auto& sizes = timeline.trace().allocations.size_bytes;
    const View view{0, static_cast<double>(timeline.step_count()), 0, static_cast<double>(timeline.peak_bytes())};
    const PictureSize size{3000, 60};  // so low that most areas are thinner than half a pixel
    const auto areas = mesh::picture_areas(timeline, Axis::steps, view, size, colours_of(timeline));
    std::mt19937 random(5);
    std::size_t in_own = 0, in_several = 0;
    for (std::uint32_t tick = 1; tick + 1 < timeline.tick_count(); ++tick) {
        if (timeline.is_free(tick) || timeline.total_after_tick(tick) == 0) continue;
        const double x = static_cast<double>(timeline.step_of_tick(tick)) + 0.5;  // a place where nothing slides
        const double bytes =
            std::uniform_real_distribution<double>(0, static_cast<double>(timeline.total_after_tick(tick)))(random);
        const double margin = 0.15 * view.height() / size.height_px;
        const mesh::PictureArea* top = nullptr;
        for (const mesh::PictureArea& area : areas) {
            if (covers(area, x, bytes, margin)) top = &area;
        }
        ASSERT_NE(top, nullptr) << "nothing at " << x << ", " << bytes;
        if (!top->id.is_some()) {
            ++in_several;
            continue;
        }
        const double low = test::height_at(picture.paths[top->id.value], x);
        EXPECT_GE(bytes, low - 2 * margin);
        EXPECT_LE(bytes, low + static_cast<double>(sizes[top->id.value]) + 2 * margin);
        ++in_own;
    }
    EXPECT_GT(in_own, 50U);
    EXPECT_GT(in_several, 5U);
}

TEST(PictureAreas, EachColumnShowsTheMomentOfItsLargestTotal) {
    const Timeline timeline = test::lay_out(test::random_trace(11, 4000, 40));
    const auto& sizes = timeline.trace().allocations.size_bytes;
    const View view{0, static_cast<double>(timeline.step_count()), 0, static_cast<double>(timeline.peak_bytes())};
    const PictureSize size{300, 500};
    const double pixel = view.width() / size.width_px;
    const auto areas = mesh::picture_areas(timeline, Axis::steps, view, size, colours_of(timeline));
    const double tolerance = 0.25 * view.height() / size.height_px;
    std::size_t edges_seen = 0;
    for (int column = 0; column < 300; ++column) {
        // The expected tick: among the moment at which the column begins and those within it, the first with the largest
        // total.
        std::optional<std::uint32_t> shown;
        std::uint32_t entering = 0;
        for (std::uint32_t tick = 1; tick + 1 < timeline.tick_count(); ++tick) {
            const auto step = static_cast<double>(timeline.step_of_tick(tick));
            if (step < column * pixel) entering = tick;
        }
        shown = entering;
        for (std::uint32_t tick = entering + 1; tick + 1 < timeline.tick_count(); ++tick) {
            if (static_cast<double>(timeline.step_of_tick(tick)) >= (column + 1) * pixel) break;
            if (timeline.total_after_tick(tick) > timeline.total_after_tick(*shown)) shown = tick;
        }
        std::map<std::uint32_t, double> lows;
        double low = 0;
        for (const AllocationId id : timeline.live_after_tick(*shown)) {
            lows[id.value] = low;
            low += static_cast<double>(sizes[id.value]);
        }
        for (const mesh::PictureArea& area : areas) {
            if (!area.id.is_some()) continue;
            const std::optional<Edges> edges = edges_at(area, (column + 0.5) * pixel);
            if (!edges) continue;
            ASSERT_TRUE(lows.contains(area.id.value)) << "column " << column << " has " << area.id.value;
            EXPECT_NEAR(edges->low, lows[area.id.value], tolerance) << "column " << column;
            ++edges_seen;
        }
    }
    EXPECT_GT(edges_seen, 1000U);
}

TEST(PictureAreas, OfManyThinOnesThereIsOneAreaInTheirMeanColour) {
    test::TraceBuilder trace;
    for (std::uint64_t i = 0; i < 2000; ++i) trace.alloc(0x1000 * (i + 1), 512);
    const Timeline timeline = test::lay_out(trace.build());
    std::vector<std::uint32_t> colours(2000, 0xff000010);
    for (std::size_t i = 0; i < 1000; ++i) colours[2 * i] = 0xff000020;
    const View view{0, static_cast<double>(timeline.step_count()), 0, 2000 * 512};
    const auto areas = mesh::picture_areas(timeline, Axis::steps, view, {1200, 200}, colours);
    ASSERT_EQ(areas.size(), 1U);
    EXPECT_FALSE(areas[0].id.is_some());
    EXPECT_EQ(areas[0].colour, 0xff000018U);
    EXPECT_EQ(areas[0].points.back().high_bytes, 2000 * 512);
}

TEST(PictureAreas, NothingIsInAnEmptyView) {
    const Timeline timeline = test::lay_out(test::random_trace(1, 50, 10));
    EXPECT_TRUE(mesh::picture_areas(timeline, Axis::steps, {5, 5, 0, 100}, {100, 100}, colours_of(timeline)).empty());
    EXPECT_TRUE(mesh::picture_areas(timeline, Axis::steps, {0, 100, 0, 100}, {0, 100}, colours_of(timeline)).empty());
}

}  // namespace
}  // namespace snapviewer
