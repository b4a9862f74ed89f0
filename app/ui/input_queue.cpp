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

/// Whether something would be lost if the event came in one frame with what is in the portion: a release and the next
/// press of a key look to ImGui as if it had been held; while Ctrl is down, characters do not count as text; and what a key
/// such as Enter does may depend on the text before it, which is acted on at the end of its frame.
bool begins_portion(const InputEvent& event, const InputPortion& portion) {
    if (!portion.buttons.empty()) return true;
    if (!is_press(event) || is_plain_text(event)) return false;
    if (event.key == GLFW_KEY_LEFT_SHIFT || event.key == GLFW_KEY_RIGHT_SHIFT) return false;
    return std::ranges::any_of(portion.keys, [](const InputEvent& each) { return each.character != 0; }) ||
           (!is_modifier(event.key) && std::ranges::find(portion.keys, event.key, &InputEvent::key) != portion.keys.end());
}

/// A press is at the place where the mouse was then.
bool begins_portion(const MouseMove&, const InputPortion& portion) { return !portion.buttons.empty(); }

/// A press may take the keyboard away from what the keys before it are for.
bool begins_portion(const MouseButton&, const InputPortion& portion) {
    return !portion.buttons.empty() || std::ranges::any_of(portion.keys, is_action);
}

/// Nothing is lost where it comes together with moves: what two fingers do is many of both, which one frame each would be
/// long in showing.
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
