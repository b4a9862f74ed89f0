#include "core/system/threads.h"

#include <emscripten.h>
#include <emscripten/threading.h>

#include <deque>
#include <utility>

// Support for pages without threads. Work runs on its own stack, which the browser suspends and later resumes when the work
// calls snapviewer_wait_for_page() ("JavaScript Promise Integration"), so that the page is drawn meanwhile. A browser
// without this feature draws the page only after the work is done.
EM_JS(int, snapviewer_can_wait, (), { return Module["canWait"] ? 1 : 0; });
EM_JS(void, snapviewer_wait_for_page, (), { return Module["waitForPage"](); });
EM_JS(void, snapviewer_call_for_turn, (), { Module["callForTurn"](); });

namespace snapviewer {
namespace {

constexpr double k_yield_interval_ms = 30;

std::deque<std::function<void()>> g_tasks;
bool g_is_running_task = false;  ///< work is running and not suspended
bool g_is_running_tasks = false;
double g_last_yield_ms = 0;

void yield_if_due() {
    if (!g_is_running_task || ::emscripten_get_now() - g_last_yield_ms < k_yield_interval_ms) return;
    g_is_running_task = false;
    snapviewer_wait_for_page();
    g_is_running_task = true;
    g_last_yield_ms = ::emscripten_get_now();
}

}  // namespace

bool has_threads() { return ::emscripten_has_threading_support() != 0; }

void run_on_main_thread(std::function<void()> work) {
    if (has_threads()) return work();
    if (snapviewer_can_wait() != 0) yield_to_browser = yield_if_due;
    g_tasks.push_back(std::move(work));
    if (!g_is_running_tasks) snapviewer_call_for_turn();
}

void (*yield_to_browser)() = nullptr;

}  // namespace snapviewer

// Called by the page when it is idle. Runs one piece of work after another and never two at a time, because a suspended one
// keeps its variables on the single memory stack that all of them share.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_do_turns() {
    using namespace snapviewer;
    if (std::exchange(g_is_running_tasks, true)) return;
    while (!g_tasks.empty()) {
        const std::function<void()> work = std::move(g_tasks.front());
        g_tasks.pop_front();
        g_last_yield_ms = ::emscripten_get_now();
        g_is_running_task = true;
        work();
        g_is_running_task = false;
    }
    g_is_running_tasks = false;
}
