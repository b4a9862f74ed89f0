#include "app/shell/application.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <utility>

namespace snapviewer::shell {
namespace {

constexpr double k_nudge = 0.05;            // distance for a single key press, as a fraction of the view
constexpr double k_views_per_second = 0.9;  // speed while the key is held
constexpr double k_seconds_until_held = 0.18;

struct MotionKey {
    int key;
    double x, y;
};
constexpr std::array k_motion_keys = {MotionKey{GLFW_KEY_A, -1, 0},    MotionKey{GLFW_KEY_D, 1, 0},
                                      MotionKey{GLFW_KEY_W, 0, 1},     MotionKey{GLFW_KEY_S, 0, -1},
                                      MotionKey{GLFW_KEY_LEFT, -1, 0}, MotionKey{GLFW_KEY_RIGHT, 1, 0},
                                      MotionKey{GLFW_KEY_UP, 0, 1},    MotionKey{GLFW_KEY_DOWN, 0, -1}};

const MotionKey* motion_of(int key) {
    const auto found = std::ranges::find(k_motion_keys, key, &MotionKey::key);
    return found == k_motion_keys.end() ? nullptr : &*found;
}

}  // namespace

Keyboard::Keyboard(Session& session, const Commands& commands, Requests& requests) : session_(session), requests_(requests) {
    for (const Command& command : commands.in_menus()) {
        for (const KeyChord& chord : key_chords(command.keys)) shortcuts_.push_back({chord, &command});
    }
}

void Keyboard::handle(const std::vector<InputEvent>& events, bool lost_focus, bool is_covered) {
    is_covered_ = is_covered;
    const bool has_popup = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
    // ImGui may have closed the popup on Esc before this function runs.
    const bool had_popup = std::exchange(had_popup_, has_popup);
    keys_move_picture_ = !has_popup && !is_covered_ && !ImGui::GetIO().WantTextInput && session_.focused == Pane::timeline;
    if (lost_focus || !keys_move_picture_) held_keys_.clear();
    for (const InputEvent& event : events) {
        if (event.key == 0) continue;
        if (event.action == GLFW_RELEASE)
            held_keys_.erase(event.key);
        else if (event.key == GLFW_KEY_Q || !(has_popup || (had_popup && event.key == GLFW_KEY_ESCAPE)))
            handle_press(event);
    }
    move_by_held_keys();
}

void Keyboard::handle_press(const InputEvent& event) {
    if (event.action == GLFW_PRESS) session_.notice.clear();
    const bool is_typing = ImGui::GetIO().WantTextInput;
    constexpr int k_with = GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;
    if (!is_typing && (event.mods & k_with) == 0 && keys_move_picture_ && motion_of(event.key)) {
        move_picture(event);
        return;
    }
    for (const auto& [chord, command] : shortcuts_) {
        if (is_covered_ && !command->has(k_while_loading)) continue;
        if (!is_chord(event, chord) || (is_typing && !command->has(k_while_typing))) continue;
        if (event.action != GLFW_PRESS && is_command_chord(chord)) continue;
        if (command->can_run(session_))
            requests_.ask(RunCommand{command->id});
        else if (command->doc && session_.document)
            session_.notice = command->doc(session_);  // `doc` explains why the command is disabled
    }
}

void Keyboard::move_picture(const InputEvent& event) {
    if (event.action != GLFW_PRESS || (session_.current_timeline() == nullptr && session_.shown_icicle() == nullptr)) return;
    held_keys_.emplace(event.key, std::chrono::steady_clock::now());
    const MotionKey& motion = *motion_of(event.key);
    session_.pan(motion.x * k_nudge, motion.y * k_nudge);
}

void Keyboard::move_by_held_keys() {
    const auto now = std::chrono::steady_clock::now();
    const double step = k_views_per_second * static_cast<double>(ImGui::GetIO().DeltaTime);
    for (const auto& [key, since] : held_keys_) {
        if (std::chrono::duration<double>(now - since).count() < k_seconds_until_held) continue;
        const MotionKey& motion = *motion_of(key);
        session_.pan(motion.x * step, motion.y * step);
    }
}

}  // namespace snapviewer::shell
