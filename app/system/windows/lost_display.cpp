#include "app/system/lost_display.h"

namespace snapviewer {

/// No-op: on Windows the window system outlives its programs.
void listen_for_lost_display(void (* /*meet*/)()) {}

}  // namespace snapviewer
