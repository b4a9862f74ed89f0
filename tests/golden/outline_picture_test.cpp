// Tests the outline of a selection over the picture where a column of pixels covers many steps.
#include <nlohmann/json.hpp>

#include "app/features/timeline/canvas_ui.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/features/timeline/timeline_ui.h"
#include "app/picture/offscreen_renderer.h"
#include "app/ui/theme.h"
#include "core/mesh/colours.h"
#include "render/timeline_canvas.h"
#include "tests/golden/document_picture.h"
#include "tests/golden/scene.h"

namespace snapviewer::golden {
namespace {

using Json = nlohmann::json;

/// Three stacked blocks below thousands of short-lived ones. In the middle of these the lowest block is freed, and the
/// others slide down at once.
std::string a_late_slide() {
    Json trace = Json::array();
    const auto event = [&](const char* action, std::uint64_t block, std::uint64_t size_mib) {
        trace.push_back({{"action", action},
                         {"addr", (std::uint64_t{1} << 32) + block * 256 * k_mib},
                         {"size", size_mib * k_mib},
                         {"stream", 0},
                         {"frames", {{{"filename", "train.py"}, {"line", block}, {"name", "step"}}}}});
    };
    const auto come_and_go = [&](int times) {
        for (int i = 0; i < times; ++i) {
            event("alloc", 4, 20);
            event("free_completed", 4, 20);
        }
    };
    event("alloc", 1, 100);
    event("alloc", 2, 60);
    event("alloc", 3, 40);
    come_and_go(2000);
    event("free_completed", 1, 100);
    come_and_go(2000);
    return Json{{"segments", Json::array()}, {"device_traces", {trace}}}.dump();
}

class OutlinePicture : public DocumentPictureTest {};

TEST_F(OutlinePicture, FollowsASlideInOneColumn) {
    const auto document = open(write("slide.json", a_late_slide()));
    const DeviceView& device = document->devices.at(0);
    const Timeline& timeline = *device.timeline;
    const auto offscreen = picture::OffscreenRenderer::create(options_.width_px, options_.height_px);
    const auto canvas = render::TimelineCanvas::create();
    ASSERT_TRUE(offscreen.ok() && canvas.ok());
    ASSERT_TRUE((*canvas)
                    ->renderer()
                    .upload(timeline, *device.mesh, mesh::allocation_colours(timeline, mesh::ColourBy::stack))
                    .ok());
    const Overlays overlays;
    const ViewLimits limits = view_limits(timeline, Axis::steps);
    const std::vector<OverlayItem> items;
    const mesh::ColourGroups groups;
    TrackSettings tracks;
    const TimelineScene scene{timeline, *device.mesh, **canvas, Axis::steps, overlays, items, limits, tracks, groups};
    const AllocationId middle{1};
    offscreen->draw_captioned(axis_margins().left, "outline", [&](float top, ImVec2 size) {
        OverlayState state;
        const Projection picture =
            draw_timeline_picture(scene, fit_view(limits), middle, state, {0, top}, {size.x, size.y - top});
        draw_outline(ImGui::GetWindowDrawList(), picture, make_outline(timeline, Axis::steps, middle), palette().selection,
                     scaled(2));
    });
    EXPECT_TRUE(written_matches(offscreen->write_png(options_.out), "outline_of_a_selection"));
}

}  // namespace
}  // namespace snapviewer::golden
