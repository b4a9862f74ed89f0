// Compares the picture with independent results: stored pictures, brute force over all ticks, and arithmetic by hand.
#include <glad/gl.h>

#include <algorithm>
#include <array>
#include <random>

#include "render/timeline_canvas.h"
#include "tests/golden/compare_image.h"
#include "tests/golden/scene.h"

namespace snapviewer::golden {
namespace {

/// A training step: weights that exist throughout, a forward pass, a backward pass that frees in reverse order, and one
/// buffer that is freed early.
Timeline training_step() {
    SnapshotMaker maker;
    maker.stands(40 * k_mib);
    maker.stands(24 * k_mib);
    std::int64_t time_us = 1'700'000'000'000'000;
    std::vector<std::uint32_t> activations;
    const std::uint32_t workspace = maker.alloc(16 * k_mib, time_us);
    for (std::uint64_t layer = 0; layer < 6; ++layer)
        activations.push_back(maker.alloc((6 + 3 * layer) * k_mib, time_us += 100));
    maker.free(workspace, time_us += 400);
    for (std::size_t layer = activations.size(); layer-- > 0;) {
        const std::uint32_t gradient = maker.alloc(9 * k_mib, time_us += 150);
        maker.free(activations[layer], time_us += 30);
        if (layer % 2 == 0) maker.free(gradient, time_us += 30);
    }
    return maker.timeline();
}

View whole_picture(const Timeline& timeline, Axis axis) {
    const double x_end = axis == Axis::steps ? static_cast<double>(timeline.step_count())
                                             : static_cast<double>(timeline.tick_times_us().back());
    return fit_view({x_end, static_cast<double>(timeline.peak_bytes())});
}

class TimelinePicture : public PictureTest {
protected:
    void show(const Timeline& timeline) {
        const auto mesh = mesh::build_mesh(timeline);
        colours_ = distinct_colours(timeline.allocation_count());
        const Status status = renderer_->upload(timeline, mesh, colours_);
        ASSERT_TRUE(status) << status.error().text();
    }

    /// The expected contents of a column of pixels, found by trying every tick. If ticks fall into the column, the one with
    /// the largest total counts, as it was at the start of the column or at the tick; otherwise the moment at its centre. In
    /// narrow views of the step axis it is always the centre.
    struct Column {
        std::vector<AllocationId> live;
        AllocationId ended;     ///< allocation that the tick frees
        double lift_bytes = 0;  ///< height by which everything above it is still raised
        bool empty = true;

        std::optional<AllocationId> at(const Timeline& timeline, double y) const {
            if (empty || y < 0) return std::nullopt;
            double low = 0;
            for (const AllocationId id : live) {
                const double raised_low = low + (ended.is_some() && id > ended ? lift_bytes : 0);
                const auto size = static_cast<double>(timeline.trace().allocations.size_bytes[id.value]);
                if (y >= raised_low && y < raised_low + size) return id;
                low += size;
            }
            return std::nullopt;
        }
    };

    static Column column_at(const Timeline& timeline, Axis axis, double left, double right, bool is_near) {
        const auto place = [&](std::uint32_t tick) {
            return axis == Axis::steps ? static_cast<double>(timeline.step_of_tick(tick))
                                       : static_cast<double>(timeline.tick_times_us()[tick]);
        };
        const std::uint32_t edge = timeline.tick_count() - 1;
        const double middle = (left + right) / 2;
        Column column;
        if (middle < 0 || middle >= place(edge)) return column;
        if (is_near) left = right = middle;
        std::uint32_t shown = 0;
        for (std::uint32_t tick = 1; tick < edge && place(tick) <= left; ++tick) shown = tick;
        double moment = is_near ? middle : left;
        bool changes_within = false;
        for (std::uint32_t tick = shown + 1; tick < edge && place(tick) <= right; ++tick) {
            changes_within = true;
            if (timeline.total_after_tick(tick) <= timeline.total_after_tick(shown)) continue;
            shown = tick;
            moment = place(tick);
        }
        if (!changes_within) moment = middle;
        column.empty = false;
        column.live = timeline.live_after_tick(shown);
        if (axis == Axis::steps && timeline.is_free(shown)) {
            column.ended = timeline.allocation_at_tick(shown);
            const double left_to_fall = 1 - (std::max(moment, place(shown)) - place(shown)) / 3;
            const auto size = static_cast<double>(timeline.trace().allocations.size_bytes[column.ended.value]);
            column.lift_bytes = std::max(0.0, left_to_fall) * size;
        }
        return column;
    }

    /// Compares a sample of the pixels of a view with brute force and skips those that depend on a fiftieth of a pixel.
    /// Returns the number of compared pixels.
    int compare_with_brute_force(const Timeline& timeline, Axis axis, const View& view) {
        const render::Image image = draw(view, axis);
        const bool is_near = shows_middles_ || (axis == Axis::steps && view.width() <= k_width_px);
        const double px = view.width() / k_width_px;
        int compared = 0;
        for (int x = 2; x < k_width_px; x += 5) {
            std::array<Column, 3> columns;
            for (int i = 0; i < 3; ++i) {
                const double left = view.x_begin + px * (x + 0.02 * (i - 1));
                columns[static_cast<std::size_t>(i)] = column_at(timeline, axis, left, left + px, is_near);
            }
            for (int y = 1; y < k_height_px; y += 7) {
                const auto expected = columns[1].at(timeline, view.y_begin + view.height() * (y + 0.5) / k_height_px);
                const bool is_clear = std::ranges::all_of(columns, [&](const Column& column) {
                    const auto below = column.at(timeline, view.y_begin + view.height() * (y + 0.48) / k_height_px);
                    const auto above = column.at(timeline, view.y_begin + view.height() * (y + 0.52) / k_height_px);
                    return below == expected && above == expected;
                });
                if (!is_clear) continue;
                ++compared;
                const Pixel pixel = pixel_at(image, x, y);
                const bool agrees = expected ? shows(pixel, colours_[expected->value]) : pixel == k_background;
                EXPECT_TRUE(agrees) << "pixel " << x << ", " << y << " of view " << view.x_begin << ":" << view.x_end << ", "
                                    << view.y_begin << ":" << view.y_end << " shows " << pixel.red << " " << pixel.green
                                    << " " << pixel.blue;
                if (!agrees) return compared;
            }
        }
        return compared;
    }

    std::vector<std::uint32_t> colours_;
    bool shows_middles_ = false;  ///< columns always show their centres, as with triangles
};

TEST_F(TimelinePicture, TrainingStepOnTheStepAxis) {
    const Timeline timeline = training_step();
    show(timeline);
    EXPECT_TRUE(matches_baseline(draw(whole_picture(timeline, Axis::steps)), "training_step_steps"));
}

TEST_F(TimelinePicture, TrainingStepOnTheTimeAxis) {
    const Timeline timeline = training_step();
    show(timeline);
    EXPECT_TRUE(matches_baseline(draw(whole_picture(timeline, Axis::time), Axis::time), "training_step_time"));
}

TEST_F(TimelinePicture, SlidesNearbyWithOneAllocationHighlighted) {
    const Timeline timeline = training_step();
    show(timeline);
    const View view{6, 18, 60.0 * k_mib, 130.0 * k_mib};
    EXPECT_TRUE(matches_baseline(draw(view, Axis::steps, AllocationId{4}), "slides_highlighted"));
}

TEST_F(TimelinePicture, WhatIsWorkedOutIsHatchedNearAndFar) {
    const Timeline timeline = training_step();
    show(timeline);
    // The first weight always fills the bottom fifth of the picture.
    std::vector<std::uint32_t> colours = colours_;
    colours[0] = (colours[0] & 0x00FFFFFFU) | mesh::k_hatched_alpha << 24;
    renderer_->set_colours(colours);
    const View whole = whole_picture(timeline, Axis::steps);
    for (const View& view : {whole, View{0, 10 * whole.x_end, whole.y_begin, whole.y_end * 1.2}}) {
        const render::Image image = draw(view);
        int plain = 0;
        int dark = 0;
        for (int x = 4; x < 20; ++x) {
            const Pixel pixel = pixel_at(image, x, 10);
            const int red = static_cast<int>(colours[0] & 0xFF);
            plain += pixel.red == red ? 1 : 0;
            dark += std::abs(pixel.red - red * 6 / 10) <= 2 ? 1 : 0;
        }
        EXPECT_EQ(plain, 8) << "of every eight pixels four are as they were";
        EXPECT_EQ(dark, 8) << "and four are darker";
        EXPECT_TRUE(shows(pixel_at(image, 12, 55), colours[1])) << "the allocation above is not hatched";
    }
}

TEST_F(TimelinePicture, EveryPixelAtEveryZoomIsWhatBruteForceFinds) {
    std::mt19937 random(7);
    const auto uniform = [&random] { return std::generate_canonical<double, 32>(random); };
    int compared = 0;
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
        const Timeline timeline = random_timeline(seed, seed * 900, seed % 2 == 0 ? 5000 : 300'000'000);
        show(timeline);
        for (const Axis axis : {Axis::steps, Axis::time}) {
            const View whole = whole_picture(timeline, axis);
            for (int i = 0; i < 24; ++i) {
                if (i < 2) compared += compare_with_brute_force(timeline, axis, whole);
                const double width = whole.width() * std::exp2(-9 * uniform());
                const double height = whole.height() * std::exp2(-9 * uniform());
                const double x = (whole.width() - width) * uniform();
                const double y = (whole.height() * 0.8 - height * 0.8) * uniform();
                compared += compare_with_brute_force(timeline, axis, {x, x + width, y, y + height});
            }
        }
    }
    EXPECT_GT(compared, 50'000);
}

TEST_F(TimelinePicture, AnEdgeThatMeetsTheMiddleOfAPixelBelongsToWhatIsAbove) {
    SnapshotMaker maker;
    std::vector<std::uint32_t> live;
    for (std::uint64_t i = 1; i <= 40; ++i) live.push_back(maker.alloc(i % 5 * k_mib + k_mib, static_cast<std::int64_t>(i)));
    for (const std::size_t i : {3U, 30U, 7U, 0U, 39U, 20U}) maker.free(live[i], 100 + static_cast<std::int64_t>(i));
    const Timeline timeline = maker.timeline();
    show(timeline);
    // Four rows per MiB and one, two or four columns per step, with pixel centres at whole MiB and whole steps.
    const double row_bytes = static_cast<double>(k_mib) / 4;
    int compared = 0;
    for (const double column_steps : {1.0, 0.5, 0.25}) {
        for (const double first_row : {0.0, 100.0}) {
            const View view{-0.5 * column_steps, (k_width_px - 0.5) * column_steps, (first_row - 0.5) * row_bytes,
                            (first_row - 0.5 + k_height_px) * row_bytes};
            const render::Image image = draw(view);
            for (int x = 0; x < k_width_px; ++x) {
                const double left = (x - 0.5) * column_steps;
                const Column column = column_at(timeline, Axis::steps, left, left + column_steps, true);
                if (column.lift_bytes > 0) continue;
                for (int y = 0; y < k_height_px; ++y, ++compared) {
                    const auto expected = column.at(timeline, (first_row + y) * row_bytes);
                    const Pixel pixel = pixel_at(image, x, y);
                    ASSERT_TRUE(expected ? shows(pixel, colours_[expected->value]) : pixel == k_background)
                        << x << ", " << y << " with " << column_steps << " steps a column, from row " << first_row;
                }
            }
        }
    }
    EXPECT_GT(compared, 200'000);
}

TEST_F(TimelinePicture, RecordedPolygonsAreTheSamePicture) {
    const Timeline computed = random_timeline(9, 1500, 70'000'000);
    const Timeline recorded = as_recorded_paths(computed);
    ASSERT_TRUE(recorded.has_recorded_paths());
    show(recorded);
    shows_middles_ = true;
    const View whole = whole_picture(computed, Axis::steps);
    int compared = compare_with_brute_force(computed, Axis::steps, whole);
    for (int i = 0; i < 20; ++i) {
        const double x = whole.x_end * i / 20;
        const double y = whole.y_end * i / 40;
        compared += compare_with_brute_force(computed, Axis::steps, {x, x + 30, y, y + whole.y_end / 6});
    }
    EXPECT_GT(compared, 15'000);
    show(as_recorded_paths(training_step()));
    EXPECT_TRUE(matches_baseline(draw(whole_picture(training_step(), Axis::steps)), "training_step_steps"));
}

TEST_F(TimelinePicture, PanningAndZoomingSendsNothing) {
    const Timeline timeline = random_timeline(3, 4000, 1'000'000);
    show(timeline);
    const std::uint64_t after_upload = renderer_->stats().uploaded_bytes;
    EXPECT_GT(after_upload, timeline.allocation_count() * 8);
    View view = whole_picture(timeline, Axis::steps);
    const ViewLimits limits{view.width(), static_cast<double>(timeline.peak_bytes())};
    for (int i = 0; i < 40; ++i) {
        view = i % 2 == 0 ? pan_view(view, view.width() / 9, -view.height() / 30, limits)
                          : zoom_view(view, view.x_begin, view.y_begin, 0.9, 0.85, limits);
        draw(view, i % 5 == 0 ? Axis::time : Axis::steps, AllocationId{static_cast<std::uint32_t>(i)});
    }
    EXPECT_EQ(renderer_->stats().uploaded_bytes, after_upload);
    renderer_->set_colours(colours_);
    EXPECT_EQ(renderer_->stats().uploaded_bytes, after_upload + 4 * timeline.allocation_count());
}

TEST_F(TimelinePicture, ASpikeOfOneStepIsSeenFromAnyDistance) {
    SnapshotMaker maker;
    std::int64_t time_us = 0;
    const auto come_and_go = [&](std::uint64_t size_bytes, int rounds) {
        for (int i = 0; i < rounds; ++i) {
            const std::uint32_t allocation = maker.alloc(size_bytes, time_us += 10);
            maker.free(allocation, time_us += 10);
        }
    };
    come_and_go(k_mib, 20'000);
    come_and_go(100 * k_mib, 1);
    come_and_go(k_mib, 20'000);
    const Timeline timeline = maker.timeline();
    show(timeline);
    for (const Axis axis : {Axis::steps, Axis::time}) {
        const View whole = whole_picture(timeline, axis);
        const render::Image image = draw(whole, axis);
        const int half_up = static_cast<int>(50 * static_cast<double>(k_mib) / whole.height() * k_height_px);
        int columns_with_spike = 0;
        for (int x = 0; x < k_width_px; ++x) columns_with_spike += pixel_at(image, x, half_up) == k_background ? 0 : 1;
        EXPECT_GE(columns_with_spike, 1) << "2 of 80,000 steps";
        EXPECT_LE(columns_with_spike, 2) << "they may straddle a border";
    }
}

TEST_F(TimelinePicture, OnlyWhatIsInViewIsDrawn) {
    const Timeline timeline = random_timeline(5, 9'000, 1'000'000);
    show(timeline);
    const View whole = whole_picture(timeline, Axis::steps);
    draw(whole);
    EXPECT_EQ(renderer_->stats().drawn_vertices, 9U) << "from far away the cost is that of the pixels";
    show(as_recorded_paths(timeline));
    draw({whole.x_end * 0.5, whole.x_end * 0.5 + 20, whole.y_begin, whole.y_end});
    EXPECT_LT(renderer_->stats().drawn_vertices, timeline.path_point_count() / 10);
    EXPECT_GT(renderer_->stats().drawn_vertices, 9U);
    draw({whole.x_end + 100, whole.x_end + 200, whole.y_begin, whole.y_end});
    EXPECT_EQ(renderer_->stats().drawn_vertices, 0U);
    renderer_->clear();
    EXPECT_EQ(pixel_at(draw(whole), 100, 5), k_background);
}

TEST_F(TimelinePicture, CanvasDrawsAgainOnlyWhenSomethingChanged) {
    const Timeline timeline = training_step();
    auto canvas = render::TimelineCanvas::create();
    ASSERT_TRUE(canvas) << canvas.error().text();
    const auto mesh = mesh::build_mesh(timeline);
    ASSERT_TRUE((*canvas)->renderer().upload(timeline, mesh, distinct_colours(timeline.allocation_count())));
    const View view = whole_picture(timeline, Axis::steps);
    EXPECT_TRUE((*canvas)->update(view, Axis::steps, 64, 48, AllocationId::none()));
    EXPECT_FALSE((*canvas)->update(view, Axis::steps, 64, 48, AllocationId::none()));
    EXPECT_TRUE((*canvas)->update(view, Axis::steps, 64, 48, AllocationId{1}));
    EXPECT_TRUE((*canvas)->update(view, Axis::steps, 65, 48, AllocationId{1}));
    (*canvas)->invalidate();
    EXPECT_TRUE((*canvas)->update(view, Axis::steps, 65, 48, AllocationId{1}));
}

TEST_F(TimelinePicture, CanvasIsCopiedPixelForPixel) {
    constexpr int k_left = 10, k_below = 5, k_width = 64, k_height = 48;
    const Timeline timeline = training_step();
    show(timeline);
    const View view = whole_picture(timeline, Axis::steps);
    auto canvas = render::TimelineCanvas::create();
    ASSERT_TRUE(canvas) << canvas.error().text();
    const auto mesh = mesh::build_mesh(timeline);
    ASSERT_TRUE((*canvas)->renderer().upload(timeline, mesh, colours_));
    framebuffer_->bind();
    renderer_->draw(view, Axis::steps, k_width, k_height, AllocationId::none());
    const render::Image drawn = render::read_framebuffer(k_width, k_height);
    draw({-200, -100, 0, 1});
    (*canvas)->copy_to_bound(k_left, k_below, {0, 0, k_width_px, k_height_px});
    EXPECT_EQ(pixel_at(render::read_framebuffer(k_width_px, k_height_px), k_left, k_below), k_background)
        << "nothing is kept yet";
    (*canvas)->update(view, Axis::steps, k_width, k_height, AllocationId::none());
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 20, 20);
    (*canvas)->copy_to_bound(k_left, k_below, {0, 0, k_width_px, k_height_px});
    EXPECT_TRUE(glIsEnabled(GL_SCISSOR_TEST));
    glDisable(GL_SCISSOR_TEST);
    const render::Image copied = render::read_framebuffer(k_width_px, k_height_px);
    for (int y = 0; y < k_height; ++y) {
        for (int x = 0; x < k_width; ++x) {
            ASSERT_EQ(pixel_at(copied, k_left + x, k_below + y), pixel_at(drawn, x, y)) << x << ", " << y;
        }
    }
    EXPECT_EQ(pixel_at(copied, k_left - 1, k_below), k_background);
    EXPECT_EQ(pixel_at(copied, k_left + k_width, k_below), k_background);
}

}  // namespace
}  // namespace snapviewer::golden
