#pragma once

#include <chrono>

#include "app/serve/site.h"
#include "app/system/late_libraries.h"
#include "core/system/connection.h"

namespace snapviewer {

/// Answers requests until the program is asked to end (core/system/ending.h) or no admitted request came for `idle`, where 0
/// means no limit. Requests are received on the calling thread; each connection with an admitted one has a thread. Returns
/// true after the idle time, when all threads have ended; otherwise false, at most a second after the wish to end.
bool serve_until_idle(const Site& site, ServeCommands& commands, HttpLibrary http, const Socket& listener,
                      std::chrono::seconds idle);

}  // namespace snapviewer
