#include "tests/golden/window_picture.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>

#include "app/features/findings/findings.h"
#include "tests/golden/compare_image.h"

namespace snapviewer::golden {
namespace {

render::Image cut_out(const render::Image& from, ImVec2 corner, ImVec2 size) {
    const auto left = static_cast<int>(corner.x), top = static_cast<int>(corner.y);
    render::Image part;
    part.width_px = std::min(static_cast<int>(size.x), from.width_px - left);
    part.height_px = std::min(static_cast<int>(size.y), from.height_px - top);
    for (int row = top; row < top + part.height_px; ++row) {
        const auto begin = from.rgba.begin() + (static_cast<std::ptrdiff_t>(row) * from.width_px + left) * 4;
        part.rgba.insert(part.rgba.end(), begin, begin + static_cast<std::ptrdiff_t>(part.width_px) * 4);
    }
    return part;
}

}  // namespace

void WindowPicture::begin(int width_px, int height_px, const Look& look) {
    if (IMGUI_VERSION_NUM >= 18900) GTEST_SKIP() << "the baselines are of an older ImGui";
    if (IsSkipped()) return;
    Result<picture::OffscreenRenderer> offscreen = picture::OffscreenRenderer::create(width_px, height_px, look);
    ASSERT_TRUE(offscreen) << offscreen.error().text();
    offscreen_.emplace(std::move(*offscreen));
    Result<std::unique_ptr<shell::Application>> made = shell::Application::create(Preferences{});
    ASSERT_TRUE(made) << made.error().text();
    application_ = std::move(*made);
}

void WindowPicture::TearDown() {
    application_.reset();
    offscreen_.reset();
}

void WindowPicture::settle() {
    constexpr int k_frames_at_rest = 4;  // popups and lists have their final size only in their second frame
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (int rest = 0; rest < k_frames_at_rest && std::chrono::steady_clock::now() < deadline; ++rest) {
        offscreen_->interface->begin_frame();
        application_->frame({});
        offscreen_->interface->end_frame(offscreen_->target);
        if (application_->is_animating()) rest = 0;
    }
    ASSERT_FALSE(application_->is_animating());
}

void WindowPicture::open_sample() {
    application_->adopt(open(GOLDEN_SAMPLE));
    settle();
    ASSERT_TRUE(feature<findings::Answers>().state().is_ready());
}

void WindowPicture::ask(Request request) {
    application_->ask(std::move(request));
    settle();
}

void WindowPicture::show(std::string_view page) {
    session().pages.next = page;
    settle();
}

testing::AssertionResult WindowPicture::panel_matches(const char* panel, const std::string& name) {
    if (Status drawn = offscreen_->write_png(options_.out); !drawn)
        return testing::AssertionFailure() << drawn.error().text();
    const Result<render::Image> window = read_png(options_.out);
    if (!window) return testing::AssertionFailure() << window.error().text();
    const ImGuiWindow* area = ImGui::FindWindowByName(panel);
    if (area == nullptr || !area->Active) return testing::AssertionFailure() << "no panel " << panel << " is on the screen";
    return matches_baseline(cut_out(*window, area->Pos, area->Size), name);
}

}  // namespace snapviewer::golden
