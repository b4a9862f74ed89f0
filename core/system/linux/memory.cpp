#include "core/system/memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace snapviewer {
namespace {

constexpr std::uint64_t k_any = std::numeric_limits<std::uint64_t>::max();

constexpr int k_populate_write = 23;  // MADV_POPULATE_WRITE of Linux 5.14, which older headers do not name
/// The smallest size of large pages on any processor; on all processors it is a multiple of the normal page size.
constexpr std::uintptr_t k_large_page_bytes = std::uintptr_t{2} << 20;

std::uint64_t available_to_all() {
    std::ifstream lines("/proc/meminfo");
    for (std::string key; lines >> key;) {
        std::uint64_t kib = 0;
        if (key == "MemAvailable:" && lines >> kib) return kib * 1024;
        lines.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return k_any;
}

/// Reads a file that contains one number, or a word that means "no limit".
std::uint64_t number_in(const std::string& path) {
    std::ifstream file(path);
    std::uint64_t number = 0;
    return file >> number ? number : k_any;
}

/// The memory that is available within the process's control group (version 2) and within all groups that contain it.
std::uint64_t available_to_group() {
    const std::string root = "/sys/fs/cgroup";
    std::ifstream groups("/proc/self/cgroup");
    std::uint64_t available = k_any;
    for (std::string line; std::getline(groups, line);) {
        if (!line.starts_with("0::/")) continue;
        for (std::string group = line.substr(3); !group.empty(); group.resize(group.rfind('/'))) {
            const std::string folder = root + (group == "/" ? "" : group);
            const std::uint64_t most = number_in(folder + "/memory.max");
            const std::uint64_t used = number_in(folder + "/memory.current");
            if (most != k_any && used != k_any) available = std::min(available, most - std::min(used, most));
        }
    }
    return available;
}

std::uint64_t available_to_process() {
    rlimit limit{};
    if (getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return k_any;
    return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, held_memory_bytes());
}

}  // namespace

std::uint64_t available_memory_bytes() {
    return std::min({available_to_all(), available_to_group(), available_to_process()});
}

std::uint64_t held_memory_bytes() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t total = 0, resident = 0, shared = 0;
    if (!(file >> total >> resident >> shared)) return 0;
    return (resident - std::min(shared, resident)) * page_bytes();
}

std::uint64_t peak_memory_bytes() {
    rusage usage{};
    return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) * 1024 : 0;
}

void limit_memory_of_process(std::uint64_t bytes) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_DATA, &limit) != 0 || bytes >= limit.rlim_cur) return;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_DATA, &limit);
}

std::size_t allocated_bytes(void* block) { return ::malloc_usable_size(block); }

bool make_resident(std::span<const std::byte> memory) {
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.data()) / page_bytes() * page_bytes();
    const auto end = reinterpret_cast<std::uintptr_t>(memory.data()) + memory.size();
    return ::madvise(reinterpret_cast<void*>(begin), end - begin, k_populate_write) == 0;
}

void wish_for_large_pages(std::span<const std::byte> memory) {
    const auto start = reinterpret_cast<std::uintptr_t>(memory.data());
    const std::uintptr_t begin = (start + k_large_page_bytes - 1) / k_large_page_bytes * k_large_page_bytes;
    const std::uintptr_t end = (start + memory.size()) / k_large_page_bytes * k_large_page_bytes;
    if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace snapviewer
