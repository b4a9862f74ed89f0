// Near views drawn from the triangle mesh and from the index, which have to give the same picture.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "core/mesh/mesh.h"
#include "tests/golden/scene.h"

namespace snapviewer::golden {
namespace {

class MeshPicture : public PictureTest {
protected:
    /// Puts the picture on the GPU without its triangle mesh.
    void show(std::shared_ptr<const Timeline> timeline) {
        timeline_ = std::move(timeline);
        mesh_ = mesh::build_mesh(*timeline_);
        colours_ = distinct_colours(timeline_->allocation_count());
        const Status status = renderer_->upload(*timeline_, mesh_, colours_);
        ASSERT_TRUE(status) << status.error().text();
        ASSERT_EQ(renderer_->stats().mesh_records, 0U);
    }

    void send_mesh() {
        auto triangles = mesh::build_triangle_mesh(*timeline_);
        ASSERT_TRUE(triangles);
        renderer_->begin_mesh_upload(render::TimelineTables::of(*timeline_, mesh_),
                                     std::make_shared<const mesh::TriangleMesh>(*std::move(triangles)));
        while (renderer_->is_sending_mesh()) ASSERT_TRUE(renderer_->continue_upload(std::chrono::microseconds(0)));
    }

    /// The colours that may be seen within a pixel of the middle of a pixel: those of everything that lies there.
    std::vector<std::optional<AllocationId>> around(const View& view, int x, int y) const {
        std::vector<std::optional<AllocationId>> found;
        const double px = view.width() / k_width_px, row = view.height() / k_height_px;
        for (const double dx : {-1.0, -0.5, -0.01, 0.0, 0.01, 0.5, 1.0}) {
            const double at = view.x_begin + px * (x + 0.5 + dx);
            const auto bytes = [&](double dy) { return view.y_begin + row * (y + 0.5 + dy); };
            const auto low = timeline_->pick(Axis::steps, at, std::max(0.0, bytes(-1)));
            const auto high = timeline_->pick(Axis::steps, at, bytes(1));
            for (const double dy : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
                const auto placed = timeline_->pick(Axis::steps, at, bytes(dy));
                found.push_back(placed ? std::optional(placed->id) : std::nullopt);
            }
            if (!low || at < 0) continue;
            // Allocations thinner than a row.
            for (const AllocationId id : timeline_->live_after_tick(timeline_->tick_at(Axis::steps, at))) {
                if (id > low->id && (!high || id < high->id)) found.push_back(id);
                if (found.size() > 2000) break;
            }
        }
        return found;
    }

    /// Compares both ways of drawing a view pixel by pixel; returns the number of pixels that differ.
    int compare(const View& view, AllocationId highlighted) {
        const render::Image from_index = expected_.at(views_compared_++);
        const render::Image from_mesh = draw(view, Axis::steps, highlighted);
        EXPECT_EQ(renderer_->stats().drawn_from, render::DrawnFrom::mesh);
        int differ = 0;
        for (int x = 0; x < k_width_px; ++x) {
            for (int y = 0; y < k_height_px; ++y) {
                const Pixel mesh = pixel_at(from_mesh, x, y);
                if (mesh == pixel_at(from_index, x, y)) continue;
                ++differ;
                const auto may_show = [&](const std::optional<AllocationId>& id) {
                    if (!id) return mesh == k_background;
                    return id == highlighted || shows_edge(mesh, colours_[id->value]);
                };
                const bool is_allowed = std::ranges::any_of(around(view, x, y), may_show);
                EXPECT_TRUE(is_allowed) << "pixel " << x << ", " << y << " of view " << view.x_begin << ":" << view.x_end
                                        << ", " << view.y_begin << ":" << view.y_end << " shows " << mesh.red << " "
                                        << mesh.green << " " << mesh.blue;
                if (!is_allowed) return differ;
            }
        }
        return differ;
    }

    /// A colour, or the same colour darkened by some part, as along an upper edge.
    static bool shows_edge(const Pixel& pixel, std::uint32_t colour) {
        const double red = colour & 0xFF, green = colour >> 8 & 0xFF, blue = colour >> 16 & 0xFF;
        const double part = pixel.green / green;
        return part > 0.65 && part < 1.02 && std::abs(pixel.red - part * red) < 2.5 &&
               std::abs(pixel.blue - part * blue) < 2.5;
    }

    std::shared_ptr<const Timeline> timeline_;
    mesh::Mesh mesh_;
    std::vector<std::uint32_t> colours_;
    std::vector<render::Image> expected_;
    std::size_t views_compared_ = 0;
};

TEST_F(MeshPicture, IsThatOfTheIndexUpToAPixelAlongEdges) {
    std::mt19937 random(5);
    const auto uniform = [&random] { return std::generate_canonical<double, 32>(random); };
    // Small, and so large that heights are rounded to units of 4 and of 128 bytes.
    for (const std::uint64_t largest_bytes :
         {std::uint64_t{5'000}, std::uint64_t{2'000'000'000}, std::uint64_t{70'000'000'000}}) {
        ASSERT_NO_FATAL_FAILURE(show(
            std::make_shared<const Timeline>(random_timeline(static_cast<std::uint32_t>(random()), 1500, largest_bytes))));
        const auto steps = static_cast<double>(timeline_->step_count());
        const auto peak = static_cast<double>(timeline_->peak_bytes());
        std::vector<View> views = {{-20, 200, -0.1 * peak, 1.1 * peak}, {steps - 100, steps + 100, 0, peak}};
        for (int i = 0; i < 20; ++i) {
            const double width = 4 + (k_width_px - 4) * uniform() * uniform();
            const double height = peak * std::exp2(-9 * uniform());
            const double x = (steps - width) * uniform(), y = 0.8 * (peak - height) * uniform();
            views.push_back({x, x + width, y, y + height});
        }
        const AllocationId highlighted{static_cast<std::uint32_t>(timeline_->allocation_count() / 2)};
        expected_.clear();
        views_compared_ = 0;
        for (const View& view : views) {
            expected_.push_back(draw(view, Axis::steps, highlighted));
            ASSERT_EQ(renderer_->stats().drawn_from, render::DrawnFrom::index);
        }
        ASSERT_NO_FATAL_FAILURE(send_mesh());
        int differ = 0;
        for (const View& view : views) differ += compare(view, highlighted);
        EXPECT_LT(differ, static_cast<int>(views.size()) * k_width_px * k_height_px / 100);
    }
}

TEST_F(MeshPicture, IsDrawnOnlyInNearViews) {
    ASSERT_NO_FATAL_FAILURE(show(std::make_shared<const Timeline>(random_timeline(3, 3000, std::uint64_t{50} << 30))));
    const auto peak = static_cast<double>(timeline_->peak_bytes());
    const View near{100, 100 + k_width_px, 0, peak};
    draw(near);
    EXPECT_EQ(renderer_->stats().drawn_from, render::DrawnFrom::index);
    const std::uint64_t sent_before = renderer_->stats().uploaded_bytes;
    ASSERT_NO_FATAL_FAILURE(send_mesh());
    const render::RenderStats sent = renderer_->stats();
    EXPECT_EQ(sent.uploaded_bytes - sent_before, sent.mesh_bytes);
    EXPECT_GT(sent.mesh_records, timeline_->path_point_count() / 2);
    EXPECT_LT(static_cast<double>(sent.mesh_bytes), 12.0 * static_cast<double>(sent.mesh_records));

    draw(near);
    EXPECT_EQ(renderer_->stats().drawn_from, render::DrawnFrom::mesh);
    EXPECT_LT(renderer_->stats().drawn_vertices, 4 * sent.mesh_records) << "only chunks in view are drawn";
    draw({100, 100.5 + k_width_px, 0, peak});
    EXPECT_EQ(renderer_->stats().drawn_from, render::DrawnFrom::index) << "a step is narrower than a pixel";
    draw(near, Axis::time);
    EXPECT_EQ(renderer_->stats().drawn_from, render::DrawnFrom::index);
    draw({100, 110, 0.5 * peak, 0.5 * peak + 64});
    EXPECT_EQ(renderer_->stats().drawn_from, render::DrawnFrom::index) << "a row is lower than the unit of the mesh";
    EXPECT_EQ(renderer_->stats().uploaded_bytes, sent.uploaded_bytes) << "no view sends anything";
    renderer_->clear();
    EXPECT_EQ(renderer_->stats().mesh_records, 0U);
    draw(near);
    EXPECT_EQ(renderer_->stats().drawn_from, render::DrawnFrom::nothing);
}

TEST(ChooseDrawing, FollowsTheLimitsOfTheDriver) {
    const render::DrawingChoice near{.has_index = true,
                                     .has_mesh = true,
                                     .is_software = true,
                                     .axis = Axis::steps,
                                     .pixels_per_step = 1,
                                     .bytes_per_row = 1,
                                     .mesh_records = 30'000};
    const auto with = [&](auto change) {
        render::DrawingChoice choice = near;
        change(choice);
        return render::choose_drawing(choice);
    };
    using Choice = render::DrawingChoice;
    EXPECT_EQ(render::choose_drawing(near), render::DrawnFrom::mesh);
    EXPECT_EQ(with([](Choice& c) { c.mesh_records = 30'001; }), render::DrawnFrom::index);
    EXPECT_EQ(with([](Choice& c) { c.mesh_records = 4'000'000, c.is_software = false; }), render::DrawnFrom::mesh);
    EXPECT_EQ(with([](Choice& c) { c.mesh_records = 4'000'001, c.is_software = false; }), render::DrawnFrom::index);
    EXPECT_EQ(with([](Choice& c) { c.pixels_per_step = 0.99; }), render::DrawnFrom::index);
    EXPECT_EQ(with([](Choice& c) { c.axis = Axis::time; }), render::DrawnFrom::index);
    EXPECT_EQ(with([](Choice& c) { c.mesh_unit_bytes = 2; }), render::DrawnFrom::index);
    EXPECT_EQ(with([](Choice& c) { c.has_mesh = false; }), render::DrawnFrom::index);
    EXPECT_EQ(with([](Choice& c) { c.has_index = false, c.pixels_per_step = 0.01; }), render::DrawnFrom::mesh);
    EXPECT_EQ(with([](Choice& c) { c.has_index = false, c.has_mesh = false; }), render::DrawnFrom::nothing);
}

}  // namespace
}  // namespace snapviewer::golden
