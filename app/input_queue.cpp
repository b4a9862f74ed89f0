#include "app/input_queue.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace snapviewer {
namespace {

bool is_modifier(int key) {
    return key >= GLFW_KEY_LEFT_SHIFT && key <= GLFW_KEY_RIGHT_SUPER;
}

bool is_plain_text(const InputEvent& event) {
    constexpr int k_command_mods = GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;
    return event.key <= GLFW_KEY_WORLD_2 && (event.mods & k_command_mods) == 0;
}

bool ends_portion(const InputEvent& event) {
    return event.key != 0 && event.action != GLFW_RELEASE && !is_modifier(event.key) && !is_plain_text(event);
}

}  // namespace

std::vector<InputEvent> InputQueue::take_portion() {
    std::vector<InputEvent> portion;
    while (!events_.empty()) {
        portion.push_back(events_.front());
        events_.pop_front();
        if (ends_portion(portion.back())) break;
    }
    return portion;
}

}  // namespace snapviewer
