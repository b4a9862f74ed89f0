// Files, memory, processes and clocks: the calls of Linux that other systems do not have.
#include <fcntl.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <string>

#include "core/system/files.h"
#include "core/system/memory.h"
#include "core/system/posix/files.h"
#include "core/system/processes.h"

namespace snapviewer {

FileHandle create_unnamed_file(const std::string& folder, std::error_code& failed) {
    FileHandle file =
        opened_descriptor(::open(folder.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR), failed);
    // A kernel without O_TMPFILE tries to open the folder itself and fails with EISDIR.
    if (failed == std::errc::is_a_directory) failed = std::make_error_code(std::errc::operation_not_supported);
    return file;
}

FileHandle create_file_in_memory(std::error_code& failed) {
    return opened_descriptor(::memfd_create("snapviewer", MFD_CLOEXEC), failed);
}

namespace {

constexpr std::uint64_t k_any = std::numeric_limits<std::uint64_t>::max();

constexpr int k_populate_write = 23;  // MADV_POPULATE_WRITE of Linux 5.14, which older headers do not name

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

/// The variable with the id of the process whose end must end its commands. It is an environment variable because
/// PR_SET_PDEATHSIG is not inherited.
constexpr const char* k_parent_variable = "SNAPVIEWER_PARENT";

std::int64_t time_ns(clockid_t clock) {
    std::timespec time{};
    ::clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
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

void end_commands_on_exit() { ::setenv(k_parent_variable, std::to_string(::getpid()).c_str(), 1); }

void end_with_parent() {
    const char* const parent = std::getenv(k_parent_variable);
    if (parent == nullptr) return;
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (parent != std::to_string(::getppid())) std::raise(SIGTERM);  // the parent has ended before prctl()
}

std::filesystem::path program_path() {
    std::error_code failed;
    return std::filesystem::read_symlink("/proc/self/exe", failed);
}

std::uint64_t thread_time_ns() { return static_cast<std::uint64_t>(time_ns(CLOCK_THREAD_CPUTIME_ID)); }
std::int64_t coarse_time_ns() { return time_ns(CLOCK_MONOTONIC_COARSE); }
bool open_pipe(int (&ends)[2]) { return ::pipe2(ends, O_CLOEXEC) == 0; }
int open_tcp_socket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }
int accept_tcp_socket(int listener) { return ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); }

}  // namespace snapviewer
