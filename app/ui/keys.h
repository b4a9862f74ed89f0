#pragma once

#include <imgui.h>

#if IMGUI_VERSION_NUM < 18700
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#endif

namespace snapviewer {

/// The keys that panels query from ImGui. Before 1.87 ImGui used the key codes of the window library.
#if IMGUI_VERSION_NUM < 18700
enum class Key : int {
    escape = GLFW_KEY_ESCAPE,
    enter = GLFW_KEY_ENTER,
    keypad_enter = GLFW_KEY_KP_ENTER,
    tab = GLFW_KEY_TAB,
    backspace = GLFW_KEY_BACKSPACE,
    up = GLFW_KEY_UP,
    down = GLFW_KEY_DOWN,
    left = GLFW_KEY_LEFT,
    right = GLFW_KEY_RIGHT,
    page_up = GLFW_KEY_PAGE_UP,
    page_down = GLFW_KEY_PAGE_DOWN,
    home = GLFW_KEY_HOME,
    end = GLFW_KEY_END,
    a = GLFW_KEY_A,
    c = GLFW_KEY_C,
};
#else
enum class Key : int {
    escape = ImGuiKey_Escape,
    enter = ImGuiKey_Enter,
    keypad_enter = ImGuiKey_KeypadEnter,
    tab = ImGuiKey_Tab,
    backspace = ImGuiKey_Backspace,
    up = ImGuiKey_UpArrow,
    down = ImGuiKey_DownArrow,
    left = ImGuiKey_LeftArrow,
    right = ImGuiKey_RightArrow,
    page_up = ImGuiKey_PageUp,
    page_down = ImGuiKey_PageDown,
    home = ImGuiKey_Home,
    end = ImGuiKey_End,
    a = ImGuiKey_A,
    c = ImGuiKey_C,
};
#endif

/// True if the key was pressed in this frame; with `repeat` also if it was repeated.
inline bool key_pressed(Key key, bool repeat = false) { return ImGui::IsKeyPressed(static_cast<ImGuiKey>(key), repeat); }

inline bool enter_pressed() { return key_pressed(Key::enter) || key_pressed(Key::keypad_enter); }

}  // namespace snapviewer
