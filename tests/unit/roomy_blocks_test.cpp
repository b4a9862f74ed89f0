#include "core/mesh/picture_areas.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/unit/brute_force.h"
#include "tests/unit/trace_builder.h"

namespace snapviewer {
namespace {

constexpr mesh::LabelRectLimits k_wanted{.width_px = 800, .height_px = 400, .min_width_px = 60, .min_height_px = 16};
constexpr double k_rounding_bytes = 1;

mesh::Mesh mesh_of(const Timeline& timeline) { return mesh::build_mesh(timeline); }

/// The visible length of the part of a path from `x` on that stays at one height.
double level_width(const std::vector<PathPoint>& path, const View& view, double x, double low_bytes) {
    double width = 0;
    const double pixel = view.width() / k_wanted.width_px;
    while (x + width < view.x_end && x + width < static_cast<double>(path.back().step) &&
           test::height_at(path, x + width) == low_bytes)
        width += pixel;
    return width;
}

TEST(RoomyBlocks, EveryRoomLiesWithinItsBlockAndNoWideOneIsMissed) {
    std::size_t found = 0, wide = 0;
    for (const std::uint32_t seed : {3U, 4U, 5U, 6U}) {
        const Timeline timeline = test::lay_out(test::random_trace(seed, 300, 30));
        const mesh::Mesh mesh = mesh_of(timeline);
        const test::BruteForcePicture picture = test::brute_force(timeline.trace());
        const auto& sizes = timeline.trace().allocations.size_bytes;
        for (const double begin : {0.0, 0.3, 0.6}) {
            // The view is so narrow that each step is several pixels wide and every pixel shows its own moment.
            const double x_begin = begin * static_cast<double>(timeline.step_count());
            const View view{x_begin, x_begin + 100, 0, 0.7 * static_cast<double>(timeline.peak_bytes())};
            std::map<std::uint32_t, View> rooms;
            for (const mesh::LabelRect& block : mesh::find_label_rects(timeline, mesh, Axis::steps, view, k_wanted)) {
                const auto& path = picture.paths[block.id.value];
                const auto size = static_cast<double>(sizes[block.id.value]);
                EXPECT_GE(block.rect.width() * 8, k_wanted.min_width_px);
                EXPECT_GE(block.rect.y_begin, view.y_begin);
                EXPECT_LE(block.rect.y_end, view.y_end);
                for (double x = block.rect.x_begin; x <= block.rect.x_end; x += 1) {
                    const double low_bytes = test::height_at(path, x + 1.0 / 16);
                    EXPECT_LE(low_bytes, block.rect.y_begin + k_rounding_bytes) << block.id.value << " at " << x;
                    EXPECT_GE(low_bytes + size, block.rect.y_end - k_rounding_bytes) << block.id.value << " at " << x;
                }
                rooms[block.id.value] = block.rect;
                ++found;
            }
            for (std::uint32_t id = 0; id < timeline.allocation_count(); ++id) {
                const auto& path = picture.paths[id];
                for (const PathPoint& point : path) {
                    const double x = std::max(static_cast<double>(point.step), view.x_begin);
                    const double low_bytes = test::height_at(path, x);
                    const double high_bytes = std::min(low_bytes + static_cast<double>(sizes[id]), view.y_end);
                    const double width_px = level_width(path, view, x, low_bytes) * 8;
                    if ((high_bytes - low_bytes) / view.height() * 400 < 17 || width_px < 60 + 3 * 8) continue;
                    EXPECT_TRUE(rooms.contains(id)) << id;
                    ++wide;
                    break;
                }
            }
        }
    }
    EXPECT_GT(found, 40U);
    EXPECT_GT(wide, 20U);
}

TEST(RoomyBlocks, ALayerIsAsHighAsAllOfItsAllocations) {
    const Timeline timeline =
        test::lay_out(test::TraceBuilder().alloc(1, 100).alloc(2, 200).alloc(3, 400).alloc(4, 100).free(4, 100).build());
    const std::vector<std::uint32_t> layer_of = {7, 7, 9, 9};
    const View view{3, static_cast<double>(timeline.step_count()), 0, 800};
    const auto layers = mesh::find_label_rects(timeline, mesh_of(timeline), Axis::steps, view, k_wanted, layer_of);
    ASSERT_EQ(layers.size(), 2U);
    EXPECT_EQ(layers[0].rect.y_begin, 0);
    EXPECT_EQ(layers[0].rect.y_end, 300);
    EXPECT_EQ(layers[1].rect.y_begin, 300);
    EXPECT_GE(layers[1].rect.y_end, 700);
}

TEST(RoomyBlocks, WithoutRoomThereIsNone) {
    const Timeline timeline = test::lay_out(test::TraceBuilder().alloc(1, 100).free(1, 100).build());
    const mesh::Mesh mesh = mesh_of(timeline);
    const View view{0, static_cast<double>(timeline.step_count()), 0, 10'000};
    EXPECT_TRUE(mesh::find_label_rects(timeline, mesh, Axis::steps, view, k_wanted).empty()) << "four pixels high";
    EXPECT_TRUE(mesh::find_label_rects(timeline, mesh, Axis::steps, view, {}).empty()) << "no picture";
}

}  // namespace
}  // namespace snapviewer
