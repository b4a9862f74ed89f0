// Memory and the end of the program on Windows, and stubs of functions that Windows cannot have.
#include <windows.h>

#include <malloc.h>
#include <psapi.h>  // must be included after <windows.h>

#include <atomic>
#include <limits>
#include <vector>

#include "core/system/memory.h"
#include "core/system/processes.h"
#include "core/system/sandbox.h"

namespace snapviewer {
namespace {

PROCESS_MEMORY_COUNTERS_EX counters() {
    PROCESS_MEMORY_COUNTERS_EX values{};
    values.cb = sizeof values;
    ::GetProcessMemoryInfo(::GetCurrentProcess(), reinterpret_cast<PROCESS_MEMORY_COUNTERS*>(&values), sizeof values);
    return values;
}

}  // namespace

std::size_t page_bytes() {
    static const std::size_t bytes = [] {
        SYSTEM_INFO info{};
        ::GetSystemInfo(&info);
        return std::size_t{info.dwPageSize};
    }();
    return bytes;
}

std::uint64_t available_memory_bytes() {
    MEMORYSTATUSEX status{};
    status.dwLength = sizeof status;
    return ::GlobalMemoryStatusEx(&status) != FALSE ? status.ullAvailPhys : std::numeric_limits<std::uint64_t>::max();
}

std::uint64_t held_memory_bytes() { return counters().PrivateUsage; }
std::uint64_t peak_memory_bytes() { return counters().PeakWorkingSetSize; }
std::size_t allocated_bytes(void* block) { return ::_msize(block); }
void limit_memory_of_process(std::uint64_t /*bytes*/) {}
bool make_resident(std::span<const std::byte> /*memory*/) { return false; }
/// The Knuth-Morris-Pratt algorithm, because Windows has no memmem().
std::size_t find_text(std::string_view text, std::string_view wanted) {
    if (wanted.empty()) return 0;
    // The failure table: for each prefix of `wanted`, the length of its longest proper suffix that is also a prefix.
    std::vector<std::size_t> border(wanted.size(), 0);
    for (std::size_t i = 1, matched = 0; i < wanted.size(); ++i) {
        while (matched > 0 && wanted[i] != wanted[matched]) matched = border[matched - 1];
        if (wanted[i] == wanted[matched]) ++matched;
        border[i] = matched;
    }
    for (std::size_t i = 0, matched = 0; i < text.size(); ++i) {
        while (matched > 0 && text[i] != wanted[matched]) matched = border[matched - 1];
        if (text[i] == wanted[matched]) ++matched;
        if (matched == wanted.size()) return i + 1 - matched;
    }
    return std::string_view::npos;
}

// Windows has no signals. Instead, it calls a handler on a separate thread after Ctrl-C, when the console is closed and when
// the session ends.
namespace {

void (*g_clean_up)() = nullptr;
std::atomic<bool> g_records_end_requests{false};
std::atomic<bool> g_is_end_requested{false};

void end_now() {
    g_clean_up();
    ::TerminateProcess(::GetCurrentProcess(), static_cast<UINT>(STATUS_CONTROL_C_EXIT));
}

BOOL WINAPI end_by_event(DWORD /*event*/) {
    if (!g_records_end_requests || g_is_end_requested.exchange(true)) end_now();
    return TRUE;
}

}  // namespace

void call_before_ending(void (*clean_up)()) {
    g_clean_up = clean_up;
    ::SetConsoleCtrlHandler(end_by_event, TRUE);
}

void record_end_request() { g_records_end_requests = true; }
bool is_end_requested() { return g_is_end_requested; }
void end_by_recorded_signal() { end_now(); }

void wait_for_end() {
    while (true) ::Sleep(INFINITE);
}

void sleep_for(std::chrono::milliseconds time) { ::Sleep(static_cast<DWORD>(time.count())); }
void ignore_file_size_signals() {}
void ignore_broken_pipes() {}
void with_signals_blocked(const std::function<void()>& work) { work(); }
void block_signals() {}
void report_refused_calls() {}

/// There is no sandbox yet. Windows can restrict a process, but not a single thread, and nothing of that has been tested so
/// far.
Sandbox enter_sandbox(const SandboxNeeds& /*needs*/) { return {.why_not = "there is none on Windows yet"}; }

}  // namespace snapviewer
