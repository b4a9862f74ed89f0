#pragma once

namespace snapviewer {

/// Installs a callback for the loss of the display, which runs on the thread that notices it, just before a library of the
/// window system would end the program. No-op on systems without such a library. Call it once, after GLFW has opened the
/// display.
void listen_for_lost_display(void (*meet)());

}  // namespace snapviewer
