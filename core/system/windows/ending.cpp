#include "core/system/ending.h"

#include <windows.h>

// Windows has no signals: Ctrl-C, a closed console and the end of the session call a function on a thread of its own.
namespace snapviewer {
namespace {

void (*g_clean_up)() = nullptr;

BOOL WINAPI end_by_event(DWORD /*event*/) {
    g_clean_up();
    ::TerminateProcess(::GetCurrentProcess(), static_cast<UINT>(STATUS_CONTROL_C_EXIT));
    return TRUE;
}

}  // namespace

void call_before_ending(void (*clean_up)()) {
    g_clean_up = clean_up;
    ::SetConsoleCtrlHandler(end_by_event, TRUE);
}

void wait_for_end() {
    while (true) ::Sleep(INFINITE);
}

void rest(std::chrono::milliseconds time) { ::Sleep(static_cast<DWORD>(time.count())); }

void have_large_files_fail() {}

void have_broken_pipes_fail() {}

void without_signals(const std::function<void()>& work) { work(); }

void take_no_signals() {}

}  // namespace snapviewer
