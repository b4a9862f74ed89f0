#include <glad/gl.h>

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "app/picture/offscreen_renderer.h"
#include "app/ui/fonts.h"
#include "app/ui/frame_changes.h"
#include "app/ui/frame_painter.h"
#include "tests/golden/scene.h"
#include "tools/bench/offscreen_window.h"

namespace snapviewer::golden {
namespace {

/// A window of 320 x 200 pixels with a software rasterizer, which only draws the parts that differ from the last frame.
class KeptFrameTest : public SoftwarePictureTest {
protected:
    using Scene = std::function<void(ImDrawList&)>;

    void SetUp() override {
        SoftwarePictureTest::SetUp();
        if (IsSkipped()) return;
        interface_.emplace(k_width_px, k_height_px);
        whole_.emplace();
    }
    void TearDown() override {
        doubting_.reset();
        whole_.reset();
        interface_.reset();
    }

    render::Image draw_frame(const Scene& scene) {
        interface_->begin_frame();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
        ImGui::Begin("window", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs);
        scene(*ImGui::GetWindowDrawList());
        ImGui::End();
        if (doubting_) {
            ImGui::Render();
            framebuffer_->bind();
            doubting_->paint(k_width_px, k_height_px, Pixels::may_be_kept);
        } else {
            interface_->end_frame(*framebuffer_);
        }
        framebuffer_->bind();
        return render::read_framebuffer(k_width_px, k_height_px);
    }
    /// Draws the last frame again as a whole.
    render::Image drawn_whole() {
        EXPECT_TRUE(whole_->paint(k_width_px, k_height_px));
        return render::read_framebuffer(k_width_px, k_height_px);
    }

    std::optional<picture::OffscreenInterface> interface_;
    std::optional<bench::WholePainter> whole_;
    std::optional<FramePainter> doubting_;  ///< paints as in a window, which may lose its pixels between two frames
};

struct Thing {
    float x, y, width, height;
    ImU32 colour;
    int kind;

    void draw(ImDrawList& list) const {
        const ImVec2 min(x, y), max(x + width, y + height);
        switch (kind) {
            case 0: list.AddRectFilled(min, max, colour); break;
            case 1: list.AddText(min, colour, "allocation"); break;
            case 2: list.AddLine(min, max, colour, 1.5F); break;
            case 3: list.AddTriangleFilled(min, {max.x, min.y}, max, colour); break;
            case 4: list.AddRectFilledMultiColor(min, max, colour, ~colour, colour, ~colour); break;
            default:
                list.PushClipRect({x + 3.7F, y + 2.2F}, {x + width / 2, y + 20.9F}, true);
                list.AddRectFilled(min, max, colour, 6);
                list.PopClipRect();
        }
    }
};

TEST_F(KeptFrameTest, LooksAsWhatIsDrawnWholeWhateverChanges) {
    std::mt19937 random(7);
    const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
    const auto any = [&] {
        return Thing{static_cast<float>(below(640)) / 2 - 20,
                     static_cast<float>(below(400)) / 2 - 20,
                     static_cast<float>(below(120)),
                     static_cast<float>(below(60)),
                     static_cast<ImU32>(random()),
                     below(6)};
    };
    std::vector<Thing> things(40);
    for (Thing& thing : things) thing = any();
    for (int frame = 0; frame < 300; ++frame) {
        for (int changes = below(4); changes > 0; --changes) {
            const auto at = things.begin() + below(static_cast<int>(things.size()));
            switch (below(5)) {
                case 0: *at = any(); break;
                case 1: things.insert(at, any()); break;
                case 2: things.size() > 30 ? static_cast<void>(things.erase(at)) : things.push_back(*at); break;
                case 3: std::swap(*at, things[static_cast<std::size_t>(below(static_cast<int>(things.size())))]); break;
                default: at->x += 0.5F;
            }
        }
        const render::Image kept = draw_frame([&](ImDrawList& list) {
            for (const Thing& thing : things) thing.draw(list);
        });
        ASSERT_EQ(kept.rgba, drawn_whole().rgba) << "frame " << frame;
    }
}

TEST_F(KeptFrameTest, IsDrawnWhereSomethingChangedOnly) {
    float pointer_x = 40;
    const Scene scene = [&](ImDrawList& list) {
        list.AddRectFilled({100, 20}, {300, 180}, 0xff4060ff);
        list.AddLine({pointer_x, 0}, {pointer_x, 60}, 0xff00ffff, 2);
    };
    FrameChanges changes;
    std::vector<FramePiece> pieces;
    draw_frame(scene);
    find_pieces(*ImGui::GetDrawData(), pieces);
    const render::FramebufferBox whole = whole_box(*ImGui::GetDrawData());
    EXPECT_EQ(changes.take(pieces, whole), std::vector{whole});
    find_pieces(*ImGui::GetDrawData(), pieces);
    EXPECT_TRUE(changes.take(pieces, whole).empty());
    pointer_x = 60;
    draw_frame(scene);
    find_pieces(*ImGui::GetDrawData(), pieces);
    const std::vector<render::FramebufferBox>& changed = changes.take(pieces, whole);
    ASSERT_FALSE(changed.empty());
    for (const render::FramebufferBox& box : changed) {
        EXPECT_LE(box.right(), 80);
        EXPECT_GE(box.below, 128) << "counted from below, the line ends at 140";
    }
    changes.forget();
    find_pieces(*ImGui::GetDrawData(), pieces);
    EXPECT_EQ(changes.take(pieces, whole), std::vector{whole});
}

TEST_F(KeptFrameTest, ShowsAPictureThatWasDrawnAnew) {
    auto canvas = render::TimelineCanvas::create();
    ASSERT_TRUE(canvas) << canvas.error().text();
    const Timeline timeline = random_timeline(3, 400, 8 * k_mib);
    const auto mesh = mesh::build_mesh(timeline);
    ASSERT_TRUE((*canvas)->renderer().upload(timeline, mesh, distinct_colours(timeline.allocation_count())));
    float pointer_x = 30;
    const Scene scene = [&](ImDrawList& list) {
        add_picture_command(&list, **canvas, {20, 30}, {280, 170});
        list.AddRectFilled({pointer_x, 40}, {pointer_x + 9, 90}, 0xffff00ff);
    };
    const auto steps = static_cast<double>(timeline.step_count());
    std::vector<render::Image> shown;
    for (const double end : {1.0, 0.5, 0.5, 0.25}) {
        (*canvas)->update({0, end * steps, 0, static_cast<double>(timeline.peak_bytes())}, Axis::steps, 260, 140,
                          AllocationId::none());
        pointer_x += 31.5F;
        shown.push_back(draw_frame(scene));
        EXPECT_EQ(shown.back().rgba, drawn_whole().rgba) << end;
    }
    EXPECT_NE(shown[0].rgba, shown[1].rgba);
}

/// The pixels without the mark, which is in the alpha channel of two pixels.
std::vector<std::uint8_t> colours_of(render::Image image) {
    for (std::size_t i = 3; i < image.rgba.size(); i += 4) image.rgba[i] = 255;
    return std::move(image.rgba);
}

TEST_F(KeptFrameTest, IsDrawnWholeWherePixelsWereLost) {
    float pointer_x = 40;
    const Scene scene = [&](ImDrawList& list) {
        list.AddRectFilled({100, 20}, {300, 180}, 0xff4060ff);
        list.AddLine({pointer_x, 0}, {pointer_x, 60}, 0xff00ffff, 2);
    };
    doubting_.emplace();
    const auto whole = colours_of(draw_frame(scene));
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
    EXPECT_EQ(colours_of(draw_frame(scene)), whole);

    // Intact pixels are not drawn again: a stain that leaves the mark intact stays.
    glEnable(GL_SCISSOR_TEST);
    glScissor(200, 100, 8, 8);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
    pointer_x = 60;
    const auto stained = colours_of(draw_frame(scene));
    EXPECT_NE(stained, colours_of(drawn_whole()));
}

TEST_F(KeptFrameTest, IsDrawnWholeOnAnotherFramebuffer) {
    const Scene scene = [](ImDrawList& list) { list.AddRectFilled({100, 20}, {300, 180}, 0xff4060ff); };
    const render::Image first = draw_frame(scene);
    const auto other = render::OffscreenFramebuffer::create(k_width_px, k_height_px);
    ASSERT_TRUE(other);
    interface_->end_frame(*other);
    other->bind();
    EXPECT_EQ(render::read_framebuffer(k_width_px, k_height_px).rgba, first.rgba);
}

TEST_F(KeptFrameTest, IsDrawnWholeWithOtherFonts) {
    const Scene scene = [](ImDrawList& list) { list.AddText({20, 20}, ~0U, "allocation"); };
    draw_frame(scene);
    load_fonts(22.0F / 15);
    const render::Image kept = draw_frame(scene);
    EXPECT_EQ(kept.rgba, drawn_whole().rgba);
}

}  // namespace
}  // namespace snapviewer::golden
