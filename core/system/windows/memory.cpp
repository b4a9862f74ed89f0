#include <malloc.h>
#include <psapi.h>
#include <windows.h>

#include <limits>
#include <vector>

#include "core/system/memory.h"

// Must be included after <windows.h>.
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

void limit_memory_of_process(std::uint64_t /*bytes*/) {}

std::size_t allocated_bytes(void* block) { return ::_msize(block); }

bool make_resident(std::span<const std::byte> /*memory*/) { return false; }

void wish_for_large_pages(std::span<const std::byte> /*memory*/) {}

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

}  // namespace snapviewer
