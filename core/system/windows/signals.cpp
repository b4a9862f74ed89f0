#include <windows.h>

#include <atomic>

#include "core/system/signals.h"

// Windows has no signals. Instead, it calls a handler on a separate thread after Ctrl-C, when the console is closed and when
// the session ends.
namespace snapviewer {
namespace {

void (*g_clean_up)() = nullptr;
std::atomic<bool> g_notes_wish{false};
std::atomic<bool> g_is_asked{false};

void end_now() {
    g_clean_up();
    ::TerminateProcess(::GetCurrentProcess(), static_cast<UINT>(STATUS_CONTROL_C_EXIT));
}

BOOL WINAPI end_by_event(DWORD /*event*/) {
    if (!g_notes_wish || g_is_asked.exchange(true)) end_now();
    return TRUE;
}

}  // namespace

void call_before_ending(void (*clean_up)()) {
    g_clean_up = clean_up;
    ::SetConsoleCtrlHandler(end_by_event, TRUE);
}

void note_wish_to_end() { g_notes_wish = true; }

bool is_asked_to_end() { return g_is_asked; }

void end_as_asked() { end_now(); }

void wait_for_end() {
    while (true) ::Sleep(INFINITE);
}

void rest(std::chrono::milliseconds time) { ::Sleep(static_cast<DWORD>(time.count())); }

void have_large_files_fail() {}

void have_broken_pipes_fail() {}

void without_signals(const std::function<void()>& work) { work(); }

void take_no_signals() {}

}  // namespace snapviewer
