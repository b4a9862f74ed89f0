// Pictures of numbers far beyond the precision of a float: each edge must be at the pixel that exact arithmetic gives.
#include <cmath>
#include <numeric>

#include "tests/golden/scene.h"

namespace snapviewer::golden {
namespace {

constexpr std::uint32_t k_red = 0xff3c3cf0;
constexpr std::uint32_t k_green = 0xff3cdc50;

constexpr std::uint32_t k_piece_bits = 20;

constexpr mesh::Record start(std::uint32_t tick, std::uint32_t piece, std::uint32_t low_units) {
    return {mesh::Record::k_start | tick << k_piece_bits | piece, low_units};
}
constexpr mesh::Record drop(std::uint32_t tick, std::uint32_t piece, std::uint32_t low_units) {
    return {tick << k_piece_bits | piece, low_units};
}
constexpr mesh::Record end(std::uint32_t tick, std::uint32_t piece, std::uint32_t low_units) {
    return {mesh::Record::k_end | tick << k_piece_bits | piece, low_units};
}

class Precision : public PictureTest {
protected:
    /// Shows the recorded timeline with its ticks at these steps.
    void show(const SnapshotMaker& maker, const std::vector<std::uint64_t>& steps,
              const std::vector<std::uint32_t>& colours) {
        const Timeline timeline = maker.timeline();
        const mesh::Mesh mesh = mesh::build_mesh(timeline);
        ASSERT_TRUE(mesh.index);
        ASSERT_EQ(timeline.tick_count(), steps.size());
        const Status status =
            renderer_->upload(render::TimelineTables{steps, {}, timeline.trace().allocations.size_bytes}, mesh, colours);
        ASSERT_TRUE(status) << status.error().text();
    }

    /// Shows triangles written by hand in one chunk over all ticks; piece i is allocation i.
    void show(const std::vector<mesh::Record>& records, const std::vector<std::uint64_t>& sizes_bytes,
              const std::vector<std::uint64_t>& steps, const std::vector<std::uint32_t>& colours,
              std::uint32_t unit_shift = 0) {
        mesh::Mesh mesh;
        mesh::TriangleMesh& triangles = mesh.triangles;
        triangles.piece_bits = k_piece_bits;
        triangles.unit_shift = unit_shift;
        triangles.records = records;
        triangles.groups.push_back({0, 0});
        triangles.pieces.resize(sizes_bytes.size());
        std::iota(triangles.pieces.begin(), triangles.pieces.end(), 0U);
        triangles.chunks.push_back({0, static_cast<std::uint32_t>(records.size()), 0,
                                    static_cast<std::uint32_t>(steps.size() - 1), 0, std::uint64_t{1} << 40});
        const Status status = renderer_->upload(render::TimelineTables{steps, {}, sizes_bytes}, mesh, colours);
        ASSERT_TRUE(status) << status.error().text();
        ASSERT_EQ(renderer_->stats().mesh_records, records.size());
    }
};

/// Number of rows or columns whose centre lies before an edge at `share` of `length` pixels.
int pixels_before(double share, int length) { return static_cast<int>(std::ceil(share * length - 0.5)); }

TEST_F(Precision, AnEdgeAt178GigabytesIsSharpToOneByte) {
    // A red allocation, with a green one of 64 bytes on top.
    const std::uint64_t edge = 178'000'000'037;
    const auto edge_bytes = static_cast<double>(edge);
    SnapshotMaker maker;
    maker.stands(edge);
    maker.stands(64);
    show(maker, {0, 1000}, {k_red, k_green});
    for (int i = 0; i < 390; ++i) {
        const double y_begin = edge_bytes - 100 + 0.1 + 0.25 * i;  // never at the centre of a pixel
        const render::Image image = draw({0, 1000, y_begin, y_begin + 200});
        const int red_rows = pixels_before((edge_bytes - y_begin) / 200, k_height_px);
        const int green_rows = pixels_before((edge_bytes + 64 - y_begin) / 200, k_height_px);
        EXPECT_TRUE(shows(pixel_at(image, 160, red_rows - 1), k_red)) << i;
        EXPECT_TRUE(shows(pixel_at(image, 160, red_rows), k_green)) << i;
        EXPECT_TRUE(shows(pixel_at(image, 160, green_rows - 1), k_green)) << i;
        EXPECT_EQ(pixel_at(image, 160, green_rows), k_background) << i;
    }
}

TEST_F(Precision, TrianglesAt178GigabytesAreSharpToTheirUnit) {
    // A unit of 64 bytes is 2^-31 of the height. Rounded down, the edge begins up to a unit too low, without a gap.
    constexpr std::uint32_t k_shift = 6, k_unit = 1U << k_shift;
    const std::uint64_t edge = 178'000'000'037;
    const std::uint64_t drawn_edge = edge / k_unit * k_unit;
    const auto units = static_cast<std::uint32_t>(edge / k_unit);
    show({start(0, 0, 0), end(1, 0, 0), start(0, 1, units), end(1, 1, units)}, {edge, 640}, {0, 1000}, {k_red, k_green},
         k_shift);
    for (int i = 0; i < 390; ++i) {
        const double y_begin = static_cast<double>(drawn_edge) - 1000 + 0.1 + 2.5 * i;
        const render::Image image = draw({0, 1000, y_begin, y_begin + 2000});
        const int red_rows = pixels_before((static_cast<double>(drawn_edge) - y_begin) / 2000, k_height_px);
        EXPECT_TRUE(shows(pixel_at(image, 160, red_rows - 1), k_red)) << i;
        EXPECT_TRUE(shows(pixel_at(image, 160, red_rows), k_green)) << i;
        const double top_bytes = static_cast<double>(drawn_edge) + 640 + k_unit - 1;
        const int green_rows = pixels_before((top_bytes - y_begin) / 2000, k_height_px);
        EXPECT_TRUE(shows(pixel_at(image, 160, green_rows - 1), k_green)) << i;
        EXPECT_EQ(pixel_at(image, 160, green_rows), k_background) << i;
    }
}

TEST_F(Precision, StepsBeyond2To40AreSharpAtTheNearestZoom) {
    SnapshotMaker maker;
    maker.free(maker.alloc(1000, 1), 2);
    maker.alloc(1000, 3);
    const std::uint64_t edge = (std::uint64_t{1} << 40) - 12'345;
    const std::vector<std::uint64_t> steps{0, 1, edge, edge + 1, std::uint64_t{1} << 40};
    show(maker, steps, {k_red, k_green});
    for (int i = 0; i < 400; ++i) {
        const double x_begin = static_cast<double>(edge) - 2 + 0.0037 * i;
        const render::Image image = draw({x_begin, x_begin + 4, 0, 2000});
        const int red_columns = pixels_before((static_cast<double>(edge) - x_begin) / 4, k_width_px);
        const int gap_end = pixels_before((static_cast<double>(edge) + 1 - x_begin) / 4, k_width_px);
        EXPECT_TRUE(shows(pixel_at(image, red_columns - 1, 20), k_red)) << i;
        EXPECT_EQ(pixel_at(image, red_columns, 20), k_background) << i;
        EXPECT_EQ(pixel_at(image, gap_end - 1, 20), k_background) << i;
        EXPECT_TRUE(shows(pixel_at(image, gap_end, 20), k_green)) << i;
    }
    // In the view of the whole recording, the last 12,345 steps are far less than a pixel, and everything else is red.
    const render::Image whole = draw({0, static_cast<double>(steps.back()), 0, 2000});
    EXPECT_TRUE(shows(pixel_at(whole, k_width_px / 2, 50), k_red));
}

TEST_F(Precision, TrianglesBeyond2To40StepsAreSharpAtTheNearestZoom) {
    const std::uint64_t edge = (std::uint64_t{1} << 40) - 12'345;
    show({start(0, 0, 0), end(1, 0, 0)}, {1000}, {0, edge, std::uint64_t{1} << 40}, {k_red});
    for (int i = 0; i < 400; ++i) {
        const double x_begin = static_cast<double>(edge) - 2 + 0.0037 * i;
        const render::Image image = draw({x_begin, x_begin + 4, 0, 2000});
        // Rasterizers round corners to 1/256 of a pixel, so the pixel column of the edge itself may have either colour.
        const int column = static_cast<int>((static_cast<double>(edge) - x_begin) / 4 * k_width_px);
        EXPECT_TRUE(shows(pixel_at(image, column - 1, 20), k_red)) << i;
        EXPECT_EQ(pixel_at(image, column + 1, 20), k_background) << i;
    }
}

TEST_F(Precision, AnEdgeAtTheBorderBetweenTwoWordsIsDrawn) {
    const std::uint64_t height = std::uint64_t{1} << 32;
    SnapshotMaker maker;
    maker.stands(height);
    show(maker, {0, 10}, {k_red});
    const auto top_bytes = static_cast<double>(height);
    const render::Image top = draw({0, 10, top_bytes - 64, top_bytes + 64});
    EXPECT_TRUE(shows(pixel_at(top, 160, 99), k_red));
    EXPECT_EQ(pixel_at(top, 160, 100), k_background);
    const render::Image bottom = draw({0, 10, -32, 32});
    EXPECT_EQ(pixel_at(bottom, 160, 99), k_background);
    EXPECT_TRUE(shows(pixel_at(bottom, 160, 100), k_red));
}

TEST_F(Precision, ADropTakesThreeStepsUnlessItsPathIsGiven) {
    const View view{98, 106, 0, 2000};
    const auto lowest_row = [&](const render::Image& image, double step, std::uint32_t colour) {
        const int x = static_cast<int>((step - view.x_begin) / view.width() * k_width_px);
        int y = 0;
        while (!shows(pixel_at(image, x, y), colour)) ++y;
        return y * 10;  // ten bytes per row
    };
    // The allocation above the 600 bytes at 1000 slides down to 400 when these are freed at step 100.
    SnapshotMaker maker;
    maker.stands(400);
    const std::uint32_t below = maker.alloc(600, 1);
    maker.alloc(500, 2);
    maker.free(below, 3);
    show(maker, {0, 1, 2, 100, 200}, {k_red, k_red, k_green});
    const render::Image sliding = draw(view);
    EXPECT_NEAR(lowest_row(sliding, 99.5, k_green), 1000, 10);
    EXPECT_NEAR(lowest_row(sliding, 101.0, k_green), 800, 20);
    EXPECT_NEAR(lowest_row(sliding, 102.5, k_green), 500, 20);
    EXPECT_NEAR(lowest_row(sliding, 103.5, k_green), 400, 10);

    show({start(0, 0, 1000), drop(1, 0, 400), end(2, 0, 400)}, {500}, {0, 100, 200}, {k_green});
    const render::Image straight = draw(view);
    EXPECT_NEAR(lowest_row(straight, 98.5, k_green), 1000 - 600 * 0.985, 10);
    EXPECT_NEAR(lowest_row(straight, 103.5, k_green), 400, 10);
}

TEST_F(Precision, AnEmptyMeshIsAnEmptyPicture) {
    const std::vector<std::uint64_t> steps{0, 1};
    const Status status = renderer_->upload(render::TimelineTables{steps, {}, {}}, mesh::Mesh{}, {});
    EXPECT_TRUE(status) << status.error().text();
    EXPECT_EQ(pixel_at(draw({0, 1, 0, 1}), 5, 5), k_background);
}

}  // namespace
}  // namespace snapviewer::golden
