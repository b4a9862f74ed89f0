#include "app/system/lost_display.h"

namespace snapviewer {

/// The window system of Windows does not go before its programs.
void listen_for_lost_display(void (* /*meet*/)()) {}

}  // namespace snapviewer
