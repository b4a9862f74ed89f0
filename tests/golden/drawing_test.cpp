// Triangles and index must draw the same picture, so that the driver alone decides which of them is used.
#include <cmath>
#include <random>

#include "render/drawing.h"
#include "tests/golden/scene.h"

namespace snapviewer::golden {
namespace {

class MeshAndIndex : public PictureTest {
protected:
    void show(const Timeline& timeline) {
        Progress progress;
        const auto mesh = build_mesh(timeline, progress);
        ASSERT_TRUE(mesh) << mesh.error().text();
        ASSERT_FALSE(mesh->records.empty());
        ASSERT_TRUE(mesh->far);
        std::vector<std::uint32_t> colours = distinct_colours(timeline.allocation_count());
        for (std::size_t i = 0; i < colours.size(); i += 3) {
            colours[i] = (colours[i] & 0x00FFFFFFU) | k_hatched_alpha << 24;
        }
        const Status status = renderer_->upload(timeline, *mesh, colours);
        ASSERT_TRUE(status) << status.error().text();
    }

    Image draw_with(Drawing drawing, const View& view, Axis axis, AllocationId highlighted) {
        renderer_->set_drawing(drawing);
        return draw(view, axis, highlighted);
    }

    static testing::AssertionResult are_equal(const Image& left, const Image& right, const View& view) {
        int different = 0;
        std::string first;
        for (int y = 0; y < left.height_px; ++y) {
            for (int x = 0; x < left.width_px; ++x) {
                const Pixel a = pixel_at(left, x, y);
                const Pixel b = pixel_at(right, x, y);
                if (a == b || ++different > 1) continue;
                first = testing::PrintToString(x) + ", " + testing::PrintToString(y) + ": " +
                        testing::PrintToString(std::vector{a.red, a.green, a.blue}) + " and " +
                        testing::PrintToString(std::vector{b.red, b.green, b.blue});
            }
        }
        if (different == 0) return testing::AssertionSuccess();
        return testing::AssertionFailure()
               << different << " pixels differ in the view "
               << testing::PrintToString(std::vector{view.x_begin, view.x_end, view.y_begin, view.y_end})
               << ", the first at " << first;
    }

    /// Where no column is wider than a step, all three ways of drawing give the same bytes.
    void expect_same_near(const View& view, AllocationId highlighted = AllocationId::none()) {
        const Image index = draw_with(Drawing::index, view, Axis::steps, highlighted);
        EXPECT_EQ(renderer_->stats().draw_calls, 3U);
        const Image mesh = draw_with(Drawing::mesh, view, Axis::steps, highlighted);
        EXPECT_LE(renderer_->stats().draw_calls, 1U);
        ASSERT_TRUE(are_equal(mesh, index, view)) << "mesh and index";
        const Image automatic = draw_with(Drawing::automatic, view, Axis::steps, highlighted);
        ASSERT_TRUE(are_equal(automatic, index, view)) << "automatic and index";
    }
};

TEST_F(MeshAndIndex, DrawTheSameBytesInViewsFromNearby) {
    std::mt19937 random(11);
    const auto uniform = [&random](double low, double high) {
        return low + (high - low) * std::generate_canonical<double, 32>(random);
    };
    for (const std::uint64_t largest_bytes : {std::uint64_t{4000}, 300 * k_mib, std::uint64_t{30'000'000'000}}) {
        const Timeline timeline = random_timeline(static_cast<std::uint32_t>(largest_bytes), 3000, largest_bytes);
        ASSERT_NO_FATAL_FAILURE(show(timeline));
        const auto steps = static_cast<double>(timeline.step_count());
        const auto peak = static_cast<double>(timeline.peak_bytes());
        for (int i = 0; i < 120; ++i) {
            const double width = k_width_px * std::exp2(-uniform(0, 6));
            const double height = std::max(64.0, peak * std::exp2(-uniform(0, i % 2 == 0 ? 4 : 20)));
            const double x = uniform(-width / 2, steps - width / 2);
            const double y = uniform(-height / 3, peak);
            const AllocationId highlighted{static_cast<std::uint32_t>(uniform(0, 1) * 1500)};
            ASSERT_NO_FATAL_FAILURE(expect_same_near({x, x + width, y, y + height}, highlighted));
        }
    }
}

TEST_F(MeshAndIndex, DrawTheSameBytesWhereEdgesMeetTheMiddleOfPixels) {
    SnapshotMaker maker;
    std::vector<std::uint32_t> live;
    for (std::uint64_t i = 1; i <= 40; ++i) live.push_back(maker.alloc(i % 5 * k_mib + k_mib, static_cast<std::int64_t>(i)));
    for (const std::size_t i : {3U, 30U, 7U, 0U, 39U, 20U}) maker.free(live[i], 100 + static_cast<std::int64_t>(i));
    const Timeline timeline = maker.timeline();
    ASSERT_NO_FATAL_FAILURE(show(timeline));
    // Four rows a MiB, and one, two or four columns a step, whose middles lie on whole MiB and whole steps.
    const double row_bytes = static_cast<double>(k_mib) / 4;
    for (const double column : {1.0, 0.5, 0.25}) {
        for (const double row : {0.0, 0.5, 100.0, 300.5}) {
            const double x = -0.5 * column;
            const double y = (row - 0.5) * row_bytes;
            ASSERT_NO_FATAL_FAILURE(
                expect_same_near({x, x + k_width_px * column, y, y + k_height_px * row_bytes}, AllocationId{5}));
        }
    }
}

TEST_F(MeshAndIndex, AutomaticIsTheIndexsPictureAtEveryZoomOnBothAxes) {
    std::mt19937 random(5);
    const auto uniform = [&random] { return std::generate_canonical<double, 32>(random); };
    const Timeline timeline = random_timeline(2, 3000, 20'000'000);
    ASSERT_NO_FATAL_FAILURE(show(timeline));
    const auto peak = static_cast<double>(timeline.peak_bytes());
    for (const Axis axis : {Axis::steps, Axis::time}) {
        const double end = axis == Axis::steps ? static_cast<double>(timeline.step_count())
                                               : static_cast<double>(timeline.tick_times_us().back());
        for (int i = 0; i < 40; ++i) {
            const double width = end * std::exp2(-12 * uniform());
            const double x = (end - width) * uniform();
            const View view{x, x + width, 0, peak};
            const Image index = draw_with(Drawing::index, view, axis, AllocationId::none());
            ASSERT_TRUE(are_equal(draw_with(Drawing::automatic, view, axis, AllocationId::none()), index, view));
        }
    }
}

TEST(DrawingChoiceTest, TakesWhatIsFasterWhereBothShowTheSame) {
    const DrawingSpeed speed{.mesh_vertices = 10'000, .index_pixels = 100'000};
    const auto chosen = [&](Drawing wanted, DrawingChoice choice) {
        return draws_from_mesh(wanted, choice, [&] { return speed; });
    };
    DrawingChoice choice{
        .has_mesh = true, .has_index = true, .ticks_are_wide = true, .mesh_vertices = 0, .pixels = 1'000'000};
    choice.mesh_vertices = 99'000;  // 9.9 ms against 10
    EXPECT_TRUE(chosen(Drawing::automatic, choice));
    EXPECT_FALSE(chosen(Drawing::index, choice));
    choice.mesh_vertices = 101'000;
    EXPECT_FALSE(chosen(Drawing::automatic, choice));
    EXPECT_TRUE(chosen(Drawing::mesh, choice));

    choice.mesh_vertices = 4;
    choice.ticks_are_wide = false;
    EXPECT_FALSE(chosen(Drawing::automatic, choice)) << "triangles could miss a spike";
    choice.has_index = false;
    EXPECT_TRUE(chosen(Drawing::automatic, choice));
    EXPECT_TRUE(chosen(Drawing::index, choice)) << "there is nothing else";
    choice = {.has_mesh = false, .has_index = true, .ticks_are_wide = true, .mesh_vertices = 0, .pixels = 1};
    EXPECT_FALSE(chosen(Drawing::mesh, choice));
}

TEST(DrawingChoiceTest, BudgetsFollowTheDriverUnlessSet) {
    EXPECT_EQ(mesh_budget_bytes(Drawing::automatic, 0, true), 64 * k_mib);
    EXPECT_EQ(mesh_budget_bytes(Drawing::automatic, 0, false), 1024 * k_mib);
    EXPECT_EQ(mesh_budget_bytes(Drawing::automatic, 5 * k_mib, false), 5 * k_mib);
    EXPECT_EQ(mesh_budget_bytes(Drawing::index, 5 * k_mib, false), 0U);
    EXPECT_GT(mesh_budget_bytes(Drawing::mesh, 5 * k_mib, true), std::uint64_t{1} << 40);
}

}  // namespace
}  // namespace snapviewer::golden
