#include <emscripten.h>

#include <string>
#include <thread>

#include "core/base/progress.h"
#include "core/document/document.h"

// A browser compiles a function in haste when it is first called, and well once it has run for long. A loop that reads a
// large file stays as it was when it began, so that without this the user's first file takes half as long again.
namespace snapviewer {
namespace {

/// The sample is small, and a function has to run for long before it is compiled well.
constexpr int k_times = 8;

Progress g_warming_up;

void warm_up(const std::string& path) {
    for (int i = 0; i < k_times && !g_warming_up.stop_requested(); ++i)
        static_cast<void>(open_document(path, {}, g_warming_up));
}

}  // namespace
}  // namespace snapviewer

// What app/web/page.js calls while the user has brought no file: opens this one over and over, on a thread of its own.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_warm_up(const char* path) {
    std::thread(snapviewer::warm_up, std::string(path)).detach();
}

// And once there is a file: for good.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_end_warm_up() { snapviewer::g_warming_up.request_stop(); }
