#pragma once

#include <chrono>

#include "app/serve/site.h"
#include "app/system/late_libraries.h"
#include "core/system/streams.h"

namespace snapviewer {

/// Answers requests until the program is asked to end (core/system/signals.h) or no admitted request has come for `idle`,
/// where 0 means no limit. Receives requests on the calling thread; each connection with an admitted request has a thread.
/// Returns true after the idle time, when all threads have ended; false after a request to end, within a second.
bool serve_until_idle(const Site& site, ServeCommands& commands, HttpLibrary http, const Socket& listener,
                      std::chrono::seconds idle);

}  // namespace snapviewer
