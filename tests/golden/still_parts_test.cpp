#include <functional>
#include <optional>
#include <vector>

#include "app/picture/offscreen_interface.h"
#include "app/ui/still_parts.h"
#include "tests/golden/scene.h"

namespace snapviewer::golden {
namespace {

/// A window of 320 x 200 with one still part in it, over which something moves.
class StillPartsTest : public SoftwarePictureTest {
protected:
    void SetUp() override {
        SoftwarePictureTest::SetUp();
        if (!IsSkipped()) interface_.emplace(k_width_px, k_height_px);
    }
    void TearDown() override { interface_.reset(); }

    struct Scene {
        ImVec2 min{20, 30}, max{220, 150};
        ImU32 colour = 0xff4060ff;
        float bar_x = 60;      ///< of what is in the part
        float pointer_x = 10;  ///< of what is drawn over it
        int drawn_before = 0;  ///< so many other things come before it
    };

    Image draw_frame(const Scene& scene) {
        interface_->begin_frame();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
        ImGui::Begin("window", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs);
        ImDrawList* list = ImGui::GetWindowDrawList();
        for (int i = 0; i < scene.drawn_before; ++i)
            list->AddRectFilled({250, 10 + 10 * static_cast<float>(i)}, {260, 15 + 10 * static_cast<float>(i)}, ~0U);
        {
            const StillPart part(list, ImGui::GetID("part"), scene.min, scene.max);
            list->AddRectFilled(scene.min, scene.max, 0xff202020);
            list->AddRectFilled({scene.bar_x, scene.min.y + 10}, {scene.bar_x + 30, scene.max.y + 40}, scene.colour);
            list->AddText({scene.min.x + 5, scene.min.y + 5}, 0xffffffff, "text");
        }
        list->AddLine({scene.pointer_x, 0}, {scene.pointer_x, 200}, 0xff00ffff, 2);
        ImGui::End();
        interface_->end_frame(*framebuffer_);
        framebuffer_->bind();
        return read_framebuffer(k_width_px, k_height_px);
    }
    /// As it is drawn by an interface that keeps nothing yet.
    Image drawn_anew(const Scene& scene) {
        interface_.reset();
        interface_.emplace(k_width_px, k_height_px);
        return draw_frame(scene);
    }
    /// Of the frame drawn last.
    static unsigned drawn_elements() {
        unsigned elements = 0;
        for (const ImDrawCmd& command : ImGui::GetDrawData()->CmdLists[0]->CmdBuffer) elements += command.ElemCount;
        return elements;
    }

    std::optional<OffscreenInterface> interface_;
};

TEST_F(StillPartsTest, AreCopiedFromTheThirdFrameOn) {
    Scene scene;
    const Image first = draw_frame(scene);
    const unsigned whole = drawn_elements();
    EXPECT_EQ(draw_frame(scene).rgba, first.rgba);
    EXPECT_EQ(drawn_elements(), whole) << "in the second frame it is kept";
    EXPECT_EQ(draw_frame(scene).rgba, first.rgba);
    EXPECT_LT(drawn_elements(), whole) << "its triangles are not drawn again";
    EXPECT_EQ(draw_frame(scene).rgba, first.rgba);
}

TEST_F(StillPartsTest, AreDrawnOverByWhatMoves) {
    Scene scene;
    for (int frame = 0; frame < 3; ++frame) draw_frame(scene);
    const unsigned copied = drawn_elements();
    for (const float x : {50.0F, 90.0F, 130.0F}) {
        scene.pointer_x = x;
        const Image image = draw_frame(scene);
        EXPECT_EQ(drawn_elements(), copied);
        const Image anew = drawn_anew(scene);
        EXPECT_EQ(image.rgba, anew.rgba) << x;
        for (int frame = 0; frame < 2; ++frame) draw_frame(scene);
    }
}

TEST_F(StillPartsTest, AreDrawnWhereverTheyChange) {
    const std::vector<std::function<void(Scene&)>> changes = {
        [](Scene& scene) { scene.colour = 0xff00ff00; }, [](Scene& scene) { scene.bar_x = 100; },
        [](Scene& scene) { scene.max.x = 260; },         [](Scene& scene) { scene.min.y = 40.5F; },
        [](Scene& scene) { scene.drawn_before = 7; },
    };
    for (const auto& change : changes) {
        Scene scene;
        for (int frame = 0; frame < 3; ++frame) draw_frame(scene);
        change(scene);
        const Image image = draw_frame(scene);
        EXPECT_EQ(image.rgba, drawn_anew(scene).rgba);
    }
}

TEST_F(StillPartsTest, AreFoundAmongWhatElseIsDrawn) {
    Scene scene;
    for (int frame = 0; frame < 3; ++frame) draw_frame(scene);
    const unsigned copied = drawn_elements();
    scene.drawn_before = 7;
    draw_frame(scene);
    EXPECT_EQ(drawn_elements(), copied + 7 * 6) << "its own triangles are still those of before";
}

}  // namespace
}  // namespace snapviewer::golden
