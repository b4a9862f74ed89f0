#include "app/window/input_queue.h"

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

/// Whether something would be lost if the event came in one frame with what is in the portion: a release and the next
/// press of a key look to ImGui as if it had been held; while Ctrl is down, characters do not count as text; and what a key
/// such as Enter does may depend on the text before it, which is acted on at the end of its frame.
bool begins_portion(const InputEvent& event, const std::vector<InputEvent>& portion) {
    if (!is_press(event) || is_plain_text(event)) return false;
    if (event.key == GLFW_KEY_LEFT_SHIFT || event.key == GLFW_KEY_RIGHT_SHIFT) return false;
    return std::ranges::any_of(portion, [](const InputEvent& each) { return each.character != 0; }) ||
           (!is_modifier(event.key) && std::ranges::find(portion, event.key, &InputEvent::key) != portion.end());
}

}  // namespace

std::vector<InputEvent> InputQueue::take_portion() {
    std::vector<InputEvent> portion;
    while (!events_.empty() && !begins_portion(events_.front(), portion)) {
        portion.push_back(events_.front());
        events_.pop_front();
        if (ends_portion(portion.back())) break;
    }
    return portion;
}

}  // namespace snapviewer
