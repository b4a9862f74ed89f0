#pragma once

#include "app/ui/input_queue.h"

struct GLFWwindow;

namespace snapviewer {

/// Passes a key event to ImGui with the modifiers at the time of the event, even if the event was delayed. Since 1.89
/// ImGui's backend asks GLFW for the current modifiers instead, and so misses Ctrl if Ctrl+A lasted less than a frame.
void pass_key(GLFWwindow* window, const InputEvent& event);

/// Call this before passing Escape to ImGui. Escape closes the popup that was opened last, and ImGui accesses that popup's
/// window. A submenu that the mouse opens beside an open one has no window in its first frame, which crashed the program.
void close_popup_before_its_first_frame();

/// True if ImGui has queued input for later frames. Since 1.87 it spreads quick input over several frames.
bool has_input_waiting();

/// Moves the keyboard focus to the next input widget, found by its label. SetKeyboardFocusHere() of ImGui 1.90.1 ignores
/// multi-line inputs and inputs in the panel of the picture, which handles the arrow keys itself.
void focus_next_input(const char* label);

}  // namespace snapviewer
