#include "app/ui/imgui_keys.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_internal.h>  // queued input, stack of popups, focus of multi-line inputs: missing in imgui.h

#include <algorithm>
#include <array>

#include "app/ui/imgui_backends.h"

namespace snapviewer {

void close_popup_before_its_first_frame() {
    const ImVector<ImGuiPopupData>& open = ImGui::GetCurrentContext()->OpenPopupStack;
    if (!open.empty() && open.back().Window == nullptr) ImGui::ClosePopupToLevel(open.Size - 1, true);
}

#if IMGUI_VERSION_NUM < 18900

void pass_key(GLFWwindow* window, const InputEvent& event) {
    ImGui_ImplGlfw_KeyCallback(window, event.key, event.scancode, event.action, event.mods);
}

bool has_input_waiting() { return false; }

void focus_next_input(const char*) { ImGui::SetKeyboardFocusHere(); }

#else

namespace {

struct KeyPair {
    int glfw;
    ImGuiKey imgui;
};

constexpr std::array k_keys = {
    KeyPair{GLFW_KEY_TAB, ImGuiKey_Tab},
    KeyPair{GLFW_KEY_LEFT, ImGuiKey_LeftArrow},
    KeyPair{GLFW_KEY_RIGHT, ImGuiKey_RightArrow},
    KeyPair{GLFW_KEY_UP, ImGuiKey_UpArrow},
    KeyPair{GLFW_KEY_DOWN, ImGuiKey_DownArrow},
    KeyPair{GLFW_KEY_PAGE_UP, ImGuiKey_PageUp},
    KeyPair{GLFW_KEY_PAGE_DOWN, ImGuiKey_PageDown},
    KeyPair{GLFW_KEY_HOME, ImGuiKey_Home},
    KeyPair{GLFW_KEY_END, ImGuiKey_End},
    KeyPair{GLFW_KEY_INSERT, ImGuiKey_Insert},
    KeyPair{GLFW_KEY_DELETE, ImGuiKey_Delete},
    KeyPair{GLFW_KEY_BACKSPACE, ImGuiKey_Backspace},
    KeyPair{GLFW_KEY_SPACE, ImGuiKey_Space},
    KeyPair{GLFW_KEY_ENTER, ImGuiKey_Enter},
    KeyPair{GLFW_KEY_ESCAPE, ImGuiKey_Escape},
    KeyPair{GLFW_KEY_MENU, ImGuiKey_Menu},
    KeyPair{GLFW_KEY_KP_DECIMAL, ImGuiKey_KeypadDecimal},
    KeyPair{GLFW_KEY_KP_DIVIDE, ImGuiKey_KeypadDivide},
    KeyPair{GLFW_KEY_KP_MULTIPLY, ImGuiKey_KeypadMultiply},
    KeyPair{GLFW_KEY_KP_SUBTRACT, ImGuiKey_KeypadSubtract},
    KeyPair{GLFW_KEY_KP_ADD, ImGuiKey_KeypadAdd},
    KeyPair{GLFW_KEY_KP_ENTER, ImGuiKey_KeypadEnter},
    KeyPair{GLFW_KEY_LEFT_SHIFT, ImGuiKey_LeftShift},
    KeyPair{GLFW_KEY_RIGHT_SHIFT, ImGuiKey_RightShift},
    KeyPair{GLFW_KEY_LEFT_CONTROL, ImGuiKey_LeftCtrl},
    KeyPair{GLFW_KEY_RIGHT_CONTROL, ImGuiKey_RightCtrl},
    KeyPair{GLFW_KEY_LEFT_ALT, ImGuiKey_LeftAlt},
    KeyPair{GLFW_KEY_RIGHT_ALT, ImGuiKey_RightAlt},
    KeyPair{GLFW_KEY_LEFT_SUPER, ImGuiKey_LeftSuper},
    KeyPair{GLFW_KEY_RIGHT_SUPER, ImGuiKey_RightSuper},
};

/// Translates a letter or digit key to the user's keyboard layout, because Ctrl+A means the key on which A is printed.
int key_on_layout(int key, int scancode) {
    const char* name = key < GLFW_KEY_ESCAPE ? glfwGetKeyName(key, scancode) : nullptr;
    if (name == nullptr || name[1] != '\0') return key;
    if (name[0] >= 'a' && name[0] <= 'z') return GLFW_KEY_A + (name[0] - 'a');
    return name[0] >= '0' && name[0] <= '9' ? GLFW_KEY_0 + (name[0] - '0') : key;
}

ImGuiKey imgui_key(int key) {
    const auto shifted = [key](int first, ImGuiKey imgui_first) {
        return static_cast<ImGuiKey>(imgui_first + (key - first));
    };
    if (key >= GLFW_KEY_A && key <= GLFW_KEY_Z) return shifted(GLFW_KEY_A, ImGuiKey_A);
    if (key >= GLFW_KEY_0 && key <= GLFW_KEY_9) return shifted(GLFW_KEY_0, ImGuiKey_0);
    if (key >= GLFW_KEY_F1 && key <= GLFW_KEY_F12) return shifted(GLFW_KEY_F1, ImGuiKey_F1);
    if (key >= GLFW_KEY_KP_0 && key <= GLFW_KEY_KP_9) return shifted(GLFW_KEY_KP_0, ImGuiKey_Keypad0);
    const auto found = std::ranges::find(k_keys, key, &KeyPair::glfw);
    return found == k_keys.end() ? ImGuiKey_None : found->imgui;
}

/// Passes one modifier on. X11 reports the modifiers as they were before the event, so the modifier's own key decides first.
void pass_modifier(const InputEvent& event, int bit, ImGuiKey modifier, int left, int right) {
    const bool is_its_own = event.key == left || event.key == right;
    ImGui::GetIO().AddKeyEvent(modifier, is_its_own ? event.action != GLFW_RELEASE : (event.mods & bit) != 0);
}

}  // namespace

void pass_key(GLFWwindow*, const InputEvent& event) {
    if (event.action == GLFW_REPEAT) return;  // ImGui repeats keys itself
    // Typed text arrives as characters. ImGui would accept only one key per frame.
    if (event.action == GLFW_PRESS && event.key != GLFW_KEY_SPACE && is_plain_text(event)) return;
    pass_modifier(event, GLFW_MOD_CONTROL, ImGuiMod_Ctrl, GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
    pass_modifier(event, GLFW_MOD_SHIFT, ImGuiMod_Shift, GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
    pass_modifier(event, GLFW_MOD_ALT, ImGuiMod_Alt, GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT);
    pass_modifier(event, GLFW_MOD_SUPER, ImGuiMod_Super, GLFW_KEY_LEFT_SUPER, GLFW_KEY_RIGHT_SUPER);
    const ImGuiKey key = imgui_key(key_on_layout(event.key, event.scancode));
    if (key != ImGuiKey_None) ImGui::GetIO().AddKeyEvent(key, event.action == GLFW_PRESS);
}

bool has_input_waiting() { return !ImGui::GetCurrentContext()->InputEventsQueue.empty(); }

void focus_next_input(const char* label) {
    ImGui::SetWindowFocus();
    ImGui::ActivateItemByID(ImGui::GetID(label));
    ImGui::GetCurrentContext()->NavNextActivateFlags = ImGuiActivateFlags_PreferInput;
}

#endif

}  // namespace snapviewer
