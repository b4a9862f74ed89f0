#include "app/system/shutdown.h"

namespace snapviewer {

/// No-op: a page ends together with its browser.
void listen_for_lost_display(void (* /*callback*/)()) {}

}  // namespace snapviewer
