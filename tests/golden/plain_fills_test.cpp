#include <algorithm>
#include <optional>

#include "app/picture/offscreen_renderer.h"
#include "app/ui/frame_painter.h"
#include "tests/golden/scene.h"

namespace snapviewer::golden {
namespace {

constexpr float k_tile_px = 50;  // too small for a separate fill

/// Draws the same areas twice: as a whole, and in small tiles that are drawn in the normal way.
class PlainFillsTest : public SoftwarePictureTest {
protected:
    void SetUp() override {
        SoftwarePictureTest::SetUp();
        if (!IsSkipped()) interface_.emplace(k_width_px, k_height_px);
    }
    void TearDown() override { interface_.reset(); }

    static void fill(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour, bool in_tiles) {
        if (!in_tiles) {
            list.AddRectFilled(min, max, colour);
            return;
        }
        for (float y = min.y; y < max.y; y += k_tile_px) {
            for (float x = min.x; x < max.x; x += k_tile_px) {
                // Each tile has another clip rectangle, so that ImGui does not merge neighbours.
                list.PushClipRect({x - 1, y - 1}, {x + k_tile_px + 1, y + k_tile_px + 1}, true);
                list.AddRectFilled({x, y}, {std::min(x + k_tile_px, max.x), std::min(y + k_tile_px, max.y)}, colour);
                list.PopClipRect();
            }
        }
    }

    render::Image draw_frame(bool in_tiles) {
        interface_->begin_frame();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
        ImGui::Begin("window", nullptr,
                     ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoBackground);
        ImDrawList& list = *ImGui::GetWindowDrawList();
        fill(list, {10, 10}, {300, 180}, 0xff703010, in_tiles);
        list.AddText({20, 20}, 0xffffffff, "below");
        fill(list, {40.5F, 15.5F}, {310, 150}, 0x8020c0f0, in_tiles);
        list.PushClipRect({60, 60}, {260, 170}, true);
        fill(list, {0, 50}, {320, 200}, 0xff20f020, in_tiles);
        list.PopClipRect();
        list.AddText({70, 70}, 0xff0000ff, "above");
        ImGui::End();
        interface_->end_frame(*framebuffer_);
        framebuffer_->bind();
        return render::read_framebuffer(k_width_px, k_height_px);
    }
    /// Number of commands of the last frame that PlainFills draws instead of ImGui's renderer.
    static int fills() {
        PlainFills().use_in(*ImGui::GetDrawData());
        int count = 0;
        for (const ImDrawCmd& command : ImGui::GetDrawData()->CmdLists[0]->CmdBuffer)
            count += command.UserCallback != nullptr ? 1 : 0;
        return count;
    }

    std::optional<picture::OffscreenInterface> interface_;
};

TEST_F(PlainFillsTest, LookAsWhatIsDrawnWithATexture) {
    const render::Image tiled = draw_frame(true);
    ASSERT_EQ(fills(), 0);
    const render::Image whole = draw_frame(false);
    ASSERT_EQ(fills(), 3);
    EXPECT_EQ(whole.rgba, tiled.rgba);
}

}  // namespace
}  // namespace snapviewer::golden
