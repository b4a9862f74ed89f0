#include "tests/golden/window_picture.h"

#include <imgui.h>

#include <chrono>

namespace snapviewer::golden {

void WindowPicture::begin(int width_px, int height_px, const Look& look) {
    if (IMGUI_VERSION_NUM >= 18900) GTEST_SKIP() << "the baselines are of an older ImGui";
    if (IsSkipped()) return;
    Result<Studio> studio = Studio::create(width_px, height_px, look);
    ASSERT_TRUE(studio) << studio.error().text();
    studio_.emplace(std::move(*studio));
    Result<std::unique_ptr<Application>> made = Application::create(Preferences{});
    ASSERT_TRUE(made) << made.error().text();
    application_ = std::move(*made);
}

void WindowPicture::TearDown() {
    application_.reset();
    studio_.reset();
}

void WindowPicture::settle() {
    constexpr int k_frames_at_rest = 4;  // popups and lists find their size in a second one
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (int rest = 0; rest < k_frames_at_rest && std::chrono::steady_clock::now() < deadline; ++rest) {
        studio_->interface->begin_frame();
        application_->frame({});
        studio_->interface->end_frame(studio_->target);
        if (application_->is_animating()) rest = 0;
    }
    ASSERT_FALSE(application_->is_animating());
}

void WindowPicture::open_sample() {
    application_->adopt(open(GOLDEN_SAMPLE));
    settle();
    ASSERT_TRUE(state().findings.is_ready());
}

void WindowPicture::ask(Request request) {
    application_->ask(std::move(request));
    settle();
}

void WindowPicture::show(SidePage page) {
    state().pages.next = page;
    settle();
}

testing::AssertionResult WindowPicture::window_matches(const std::string& name) {
    return written_matches(studio_->write_png(options_.out), name);
}

}  // namespace snapviewer::golden
