#include <emscripten.h>

#include <string>
#include <thread>

#include "core/base/context.h"
#include "core/document/document.h"

// Compiles the hot loops before the user opens a file. A browser first compiles a function quickly without optimisation, and
// optimises it after it has run for a while. A loop that is already running is not replaced, so without this warm-up the
// user's first file takes half as long again.
namespace snapviewer {
namespace {

/// Number of repetitions. The sample is small, and a function must run for a while before the browser optimises it.
constexpr int k_times = 8;

Progress g_warming_up;

void warm_up(const std::string& path) {
    for (int i = 0; i < k_times && !g_warming_up.stop_requested(); ++i)
        static_cast<void>(open_document(path, {}, g_warming_up));
}

}  // namespace
}  // namespace snapviewer

// Called by app/web/page.js while the user has not opened a file. Opens this sample repeatedly on its own thread.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_warm_up(const char* path) {
    std::thread(snapviewer::warm_up, std::string(path)).detach();
}

// Called by app/web/page.js when the user opens a file. Ends the warm-up permanently.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_end_warm_up() { snapviewer::g_warming_up.request_stop(); }
