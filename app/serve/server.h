#pragma once

#include <chrono>

#include "app/serve/site.h"
#include "app/system/late_libraries.h"
#include "core/system/connection.h"

namespace snapviewer {

/// Answers on a socket until the program is asked to end (core/system/ending.h) or nobody has asked anything for so long; 0
/// for ever. Each connection has a thread. Whether it was the idle time: then all threads have ended, else those that could
/// within a second.
bool serve_until_idle(const Site& site, ServeCommands& commands, HttpLibrary http, const Socket& listener,
                      std::chrono::seconds idle);

}  // namespace snapviewer
