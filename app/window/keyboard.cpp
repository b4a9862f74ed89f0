#include "app/window/keyboard.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>

#include "app/state/navigation.h"
#include "app/views/picture/mouse.h"

namespace snapviewer {
namespace {

constexpr double k_nudge = 0.05;            // of the view, at the press of a key
constexpr double k_views_per_second = 0.9;  // while it is held
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

bool is_enter(int key) { return key == GLFW_KEY_ENTER || key == GLFW_KEY_KP_ENTER; }

Pane next_pane(Pane pane, bool has_query) {
    switch (pane) {
        case Pane::timeline: return Pane::details;
        case Pane::details: return has_query ? Pane::query : Pane::timeline;
        case Pane::query: return Pane::timeline;
    }
    return Pane::timeline;
}

}  // namespace

void Keyboard::handle(const std::vector<InputEvent>& events, bool lost_focus) {
    const bool has_popup = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
    keys_move_picture_ = !has_popup && !ImGui::GetIO().WantTextInput && state_.focused == Pane::timeline;
    if (lost_focus || !keys_move_picture_) held_keys_.clear();
    for (const InputEvent& event : events) {
        if (event.key == 0) continue;
        if (event.action == GLFW_RELEASE)
            held_keys_.erase(event.key);
        else if (!has_popup || event.key == GLFW_KEY_Q)
            handle_press(event);
    }
    move_by_held_keys();
}

void Keyboard::handle_press(const InputEvent& event) {
    const bool is_command = (event.mods & (GLFW_MOD_CONTROL | GLFW_MOD_SUPER)) != 0;
    if (event.action == GLFW_PRESS) state_.notice.clear();
    if (is_command) {
        if (event.action == GLFW_PRESS) handle_command_key(event.key);
    } else if (event.key == GLFW_KEY_ESCAPE && state_.query.is_running) {
        requests_.ask(StopQuery{});
    } else if (event.key == GLFW_KEY_F1) {
        requests_.ask(OpenWindow{&AppState::show_keys});
    } else if (event.key == GLFW_KEY_F5) {
        if (event.action == GLFW_PRESS) requests_.ask(Command::reload);
    } else if (is_enter(event.key) && state_.search.is_open && state_.focused == Pane::timeline) {
        // Here, not in the field: it loses the keyboard for a moment at each Enter.
        requests_.ask((event.mods & GLFW_MOD_SHIFT) != 0 ? Command::previous_hit : Command::next_hit);
    } else if (event.key == GLFW_KEY_F6) {
        state_.focus_next = next_pane(state_.focused, state_.settings.show_query);
    } else if (!ImGui::GetIO().WantTextInput && (event.mods & GLFW_MOD_ALT) == 0) {
        if (keys_move_picture_ && motion_of(event.key))
            move_picture(event);
        else
            handle_plain_key(event);
    }
}

void Keyboard::handle_command_key(int key) {
    switch (key) {
        case GLFW_KEY_O: requests_.ask(Command::open_dialog); break;
        case GLFW_KEY_W: requests_.ask(Command::close_document); break;
        case GLFW_KEY_Q: requests_.ask(Command::quit); break;
        case GLFW_KEY_J: requests_.ask(Command::toggle_query); break;
        case GLFW_KEY_F: requests_.ask(Command::open_search); break;
        case GLFW_KEY_C:
            if (!ImGui::GetIO().WantTextInput && state_.focused != Pane::query) requests_.ask(Command::copy_details);
            break;
        default: break;
    }
}

void Keyboard::handle_plain_key(const InputEvent& event) {
    switch (event.key) {
        case GLFW_KEY_F:
        case GLFW_KEY_HOME: requests_.ask(Command::fit); break;
        case GLFW_KEY_Z: requests_.ask(Command::zoom_to_selection); break;
        case GLFW_KEY_T:
            requests_.ask((event.mods & GLFW_MOD_SHIFT) != 0 ? Command::toggle_clock : Command::toggle_axis);
            break;
        case GLFW_KEY_I: requests_.ask(Command::next_picture); break;
        case GLFW_KEY_V: requests_.ask(Command::next_view); break;
        case GLFW_KEY_BACKSPACE: requests_.ask(Command::zoom_out); break;
        case GLFW_KEY_P: requests_.ask(Command::go_to_peak); break;
        case GLFW_KEY_N:
            requests_.ask((event.mods & GLFW_MOD_SHIFT) != 0 ? Command::previous_marker : Command::next_marker);
            break;
        case GLFW_KEY_EQUAL:
        case GLFW_KEY_KP_ADD: zoom_about_middle(state_, k_zoom_per_notch); break;
        case GLFW_KEY_MINUS:
        case GLFW_KEY_KP_SUBTRACT: zoom_about_middle(state_, 1 / k_zoom_per_notch); break;
        case GLFW_KEY_ESCAPE:
            requests_.ask(Command::cancel_load);  // that shows no dialog yet
            if (state_.show_keys || state_.show_about || state_.show_findings) break;
            if (state_.shown_icicle() != nullptr) {
                requests_.ask(Command::zoom_out);
                break;
            }
            requests_.ask(state_.has_selection() ? Command::clear_selection : Command::close_search);
            break;
        default: break;
    }
}

void Keyboard::move_picture(const InputEvent& event) {
    if (event.action != GLFW_PRESS || (state_.current_timeline() == nullptr && state_.shown_icicle() == nullptr)) return;
    held_keys_.emplace(event.key, std::chrono::steady_clock::now());
    const MotionKey& motion = *motion_of(event.key);
    pan(state_, motion.x * k_nudge, motion.y * k_nudge);
}

void Keyboard::move_by_held_keys() {
    const auto now = std::chrono::steady_clock::now();
    const double step = k_views_per_second * static_cast<double>(ImGui::GetIO().DeltaTime);
    for (const auto& [key, since] : held_keys_) {
        if (std::chrono::duration<double>(now - since).count() < k_seconds_until_held) continue;
        const MotionKey& motion = *motion_of(key);
        pan(state_, motion.x * step, motion.y * step);
    }
}

}  // namespace snapviewer
