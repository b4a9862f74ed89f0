#include "app/system/lost_display.h"

namespace snapviewer {

/// A page ends with its browser.
void listen_for_lost_display(void (* /*meet*/)()) {}

}  // namespace snapviewer
