#include "app/ui/input_queue.h"

#include <algorithm>

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace snapviewer {

bool is_plain_text(const InputEvent& event) {
    constexpr int k_command_mods = GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;
    return event.key <= GLFW_KEY_WORLD_2 && (event.mods & k_command_mods) == 0;
}

namespace {

bool is_modifier(int key) { return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER; }

bool is_press(const InputEvent& event) { return event.key != 0 && event.action != GLFW_RELEASE; }

bool ends_portion(const InputEvent& event) { return is_press(event) && !is_modifier(event.key) && !is_plain_text(event); }

bool is_action(const InputEvent& event) { return is_press(event) && !is_modifier(event.key); }

/// True if the event must wait for the next frame, because ImGui would lose information if it saw the event together with
/// the portion: a release and a press of the same key look like one held key; characters are not text while Ctrl is down;
/// and a key such as Enter may act on the text before it, which is processed only at the end of a frame.
bool begins_portion(const InputEvent& event, const InputPortion& portion) {
    if (!portion.buttons.empty()) return true;
    if (!is_press(event) || is_plain_text(event)) return false;
    if (event.key == GLFW_KEY_LEFT_SHIFT || event.key == GLFW_KEY_RIGHT_SHIFT) return false;
    return std::ranges::any_of(portion.keys, [](const InputEvent& each) { return each.character != 0; }) ||
           (!is_modifier(event.key) && std::ranges::find(portion.keys, event.key, &InputEvent::key) != portion.keys.end());
}

/// A move after a button event must wait, because the button event belongs to the old position.
bool begins_portion(const MouseMove&, const InputPortion& portion) { return !portion.buttons.empty(); }

/// A press must wait for earlier key presses, because it may move the keyboard focus away from their target.
bool begins_portion(const MouseButton&, const InputPortion& portion) {
    return !portion.buttons.empty() || std::ranges::any_of(portion.keys, is_action);
}

/// Wheel turns may share a frame with moves. A touchpad gesture sends many of both, and one frame for each would be slow.
bool begins_portion(const WheelTurn&, const InputPortion& portion) { return !portion.buttons.empty(); }

void add(const InputEvent& event, InputPortion& portion) { portion.keys.push_back(event); }
void add(const MouseMove& move, InputPortion& portion) { portion.moves.push_back(move); }
void add(const MouseButton& button, InputPortion& portion) { portion.buttons.push_back(button); }
void add(const WheelTurn& turn, InputPortion& portion) {
    portion.wheel.x += turn.x;
    portion.wheel.y += turn.y;
}

}  // namespace

InputPortion InputQueue::take_portion() {
    InputPortion portion;
    while (!events_.empty()) {
        const auto& event = events_.front();
        if (std::visit([&](const auto& each) { return begins_portion(each, portion); }, event)) break;
        std::visit([&](const auto& each) { add(each, portion); }, event);
        events_.pop_front();
        if (!portion.keys.empty() && ends_portion(portion.keys.back())) break;
    }
    return portion;
}

}  // namespace snapviewer
