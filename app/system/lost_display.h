#pragma once

namespace snapviewer {

/// Has `meet` called, on whatever thread meets it, when a library of the window system is about to end the program because
/// its display is gone. Does nothing where there is no such library. Once, when GLFW has opened the display.
void listen_for_lost_display(void (*meet)());

}  // namespace snapviewer
