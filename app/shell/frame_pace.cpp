#include "app/shell/frame_pace.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/system/window_system.h"
#include "app/ui/imgui_keys.h"
#include "app/ui/item_observer.h"

namespace snapviewer::shell {
namespace {

constexpr double k_idle_wait_s = 1;     // how often other threads are polled for news while no frame is drawn
constexpr double k_blink_wait_s = 0.4;  // half a period of the text cursor's blinking
constexpr double k_blinking_s = 10;     // how long the cursor blinks after the last input; afterwards it stays visible
constexpr double k_animating_wait_s = 0.033;
constexpr double k_max_animating_wait_s = 0.5;
// Pause between frames in a browser without a graphics card, in multiples of a frame's duration. It leaves processors to the
// other threads.
constexpr double k_waits_per_frame = 6;
constexpr double k_observer_wait_s = 0.05;  // until the next frame if the observer wants one
constexpr double k_early_s = 0.005;         // tolerance for timeouts that end early because the clock is coarse
/// Frames to draw after an input, because ImGui's layout needs several frames to become stable.
constexpr int k_settling_frames = 3;
}  // namespace

FramePace::FramePace(const Tabs& tabs, Inbox& inbox, Desktop& desktop)
    : tabs_(tabs), inbox_(inbox), desktop_(desktop), settling_(k_settling_frames) {}

bool FramePace::is_due() {
    if (drawn_at_s_) frame_takes_s_ = glfwGetTime() - *std::exchange(drawn_at_s_, std::nullopt);
    const bool is_due = has_reason();
    if (is_due) drawn_at_s_ = glfwGetTime();
    return is_due;
}

bool FramePace::has_reason() {
    const bool is_animating = tabs_.is_animating();
    if (was_animating_ && !is_animating) settling_ = k_settling_frames;
    was_animating_ = is_animating;
    // While progress is displayed more frames follow anyway, so the layout becomes stable without extra ones.
    const bool is_settling = settling_ > 0 && (k_may_sleep || !is_animating);
    if (is_settling || !inbox_.input.is_empty() || has_input_waiting()) {
        --settling_;
        glfwPollEvents();
        waits_since_s_ = glfwGetTime();
        return true;
    }
    const double wait_s = longest_wait_s();
    if (k_may_sleep) {
        waits_since_s_ = glfwGetTime();
        glfwWaitEventsTimeout(wait_s);
    }
    const double waited_s = glfwGetTime() - waits_since_s_;
    // An event may arrive at any time, also at the end of the timeout. If the wait ended early without `wake_pending`, an
    // event without a callback ended it.
    if (std::exchange(inbox_.wake_pending, false) || (k_may_sleep && waited_s < wait_s - k_early_s)) {
        settling_ = k_settling_frames;
        input_at_s_ = waits_since_s_ = glfwGetTime();
        ImGui::GetIO().ConfigInputTextCursorBlink = true;
        return true;
    }
    if (waited_s < wait_s - k_early_s) return false;
    waits_since_s_ = glfwGetTime();
    if (wait_s < k_idle_wait_s) return true;
    if (!desktop_.update() && !tabs_.front().has_news()) return false;
    settling_ = k_settling_frames;
    return true;
}

double FramePace::longest_wait_s() const {
    // A browser without a graphics card uses all processors to draw a frame, and so slows the displayed work down: about ten
    // frames a second took a third of the time to open a large file.
    if (tabs_.is_animating() && k_may_sleep) return k_animating_wait_s;
    if (tabs_.is_animating())
        return std::clamp(k_waits_per_frame * frame_takes_s_, k_animating_wait_s, k_max_animating_wait_s);
    if (const ItemObserver* observer = item_observer(); observer != nullptr && observer->wants_frame())
        return k_observer_wait_s;
    ImGuiIO& io = ImGui::GetIO();
    if (!io.WantTextInput || !io.ConfigInputTextCursorBlink) return k_idle_wait_s;
    // The next frame is the last; it shows the cursor.
    if (glfwGetTime() - input_at_s_ > k_blinking_s) io.ConfigInputTextCursorBlink = false;
    return k_blink_wait_s;
}

}  // namespace snapviewer::shell
