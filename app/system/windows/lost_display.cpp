#include "app/system/shutdown.h"

namespace snapviewer {

/// No-op: on Windows the window system outlives its programs.
void listen_for_lost_display(void (* /*callback*/)()) {}

}  // namespace snapviewer
