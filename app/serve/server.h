#pragma once

#include <chrono>

#include "app/serve/site.h"
#include "core/system/connection.h"

namespace snapviewer {

/// Answers on a socket until the program is asked to end (core/system/ending.h) or nobody has asked anything for so long; 0
/// for ever. Each connection has a thread; at its end all of them have ended, if they could within a second. Whether it was
/// the idle time.
bool serve_until_idle(const Site& site, ServeCommands& commands, const Socket& listener, std::chrono::seconds idle);

}  // namespace snapviewer
