#pragma once

#include "app/ui/input_queue.h"

struct GLFWwindow;

namespace snapviewer {

/// Hands a key to ImGui as it was when it went down or up, however long the event waited. (Since 1.89 the backend asks GLFW
/// which modifiers are down now instead, and so misses Ctrl where Ctrl+A was short and a frame long.)
void pass_key(GLFWwindow* window, const InputEvent& event);

/// To be called before ImGui is handed an Escape. Escape closes the popup that was opened last, for which ImGui looks at its
/// window; a menu that the mouse opens beside an open one has none for a frame, which ended the program.
void close_popup_before_its_first_frame();

/// Whether ImGui has been given more than it took in one frame: since 1.87 it spreads quick input over several.
bool has_input_waiting();

/// Gives the keyboard to the input that follows, by its label. (SetKeyboardFocusHere() of 1.90.1 knows nothing of inputs of
/// several lines, nor of those in the panel of the picture, whose arrows are its own.)
void focus_next_input(const char* label);

}  // namespace snapviewer
