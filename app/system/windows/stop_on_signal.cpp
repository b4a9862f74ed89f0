#include <windows.h>

#include <atomic>

#include "app/system/shutdown.h"

namespace snapviewer {
namespace {

std::atomic<bool> g_is_stopped{false};

/// Records the first event. Passes a second one on to the previous handler, which ends the program.
BOOL WINAPI note_event(DWORD /*event*/) { return g_is_stopped.exchange(true) ? FALSE : TRUE; }

}  // namespace

StopOnSignal::StopOnSignal() { ::SetConsoleCtrlHandler(note_event, TRUE); }

StopOnSignal::~StopOnSignal() { ::SetConsoleCtrlHandler(note_event, FALSE); }

bool StopOnSignal::was_requested() { return g_is_stopped; }

}  // namespace snapviewer
