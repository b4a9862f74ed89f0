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

constexpr double k_between_ways_ms = 30;

std::deque<std::function<void()>> g_turns;
bool g_is_in_turn = false;  ///< work is running and not suspended
bool g_is_doing_turns = false;
double g_gave_way_ms = 0;

void let_page_be_drawn() {
    if (!g_is_in_turn || ::emscripten_get_now() - g_gave_way_ms < k_between_ways_ms) return;
    g_is_in_turn = false;
    snapviewer_wait_for_page();
    g_is_in_turn = true;
    g_gave_way_ms = ::emscripten_get_now();
}

}  // namespace

bool has_threads() { return ::emscripten_has_threading_support() != 0; }

void run_on_main_thread(std::function<void()> work) {
    if (has_threads()) return work();
    if (snapviewer_can_wait() != 0) yield_to_browser = let_page_be_drawn;
    g_turns.push_back(std::move(work));
    if (!g_is_doing_turns) snapviewer_call_for_turn();
}

void (*yield_to_browser)() = nullptr;

}  // namespace snapviewer

// Called by the page when it is idle. Runs one piece of work after another and never two at a time, because a suspended one
// keeps its variables on the single memory stack that all of them share.
extern "C" EMSCRIPTEN_KEEPALIVE void snapviewer_do_turns() {
    using namespace snapviewer;
    if (std::exchange(g_is_doing_turns, true)) return;
    while (!g_turns.empty()) {
        const std::function<void()> work = std::move(g_turns.front());
        g_turns.pop_front();
        g_gave_way_ms = ::emscripten_get_now();
        g_is_in_turn = true;
        work();
        g_is_in_turn = false;
    }
    g_is_doing_turns = false;
}
