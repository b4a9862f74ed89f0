#include "core/system/memory.h"

#include <malloc.h>
#include <windows.h>
// Must be included after <windows.h>.
#include <psapi.h>

#include <limits>

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

}  // namespace snapviewer
