// Files, memory, processes and clocks of macOS, and stubs of functions that macOS cannot have.
#include <fcntl.h>
#include <mach-o/dyld.h>
#include <mach/mach.h>
#include <malloc/malloc.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <limits>

#include "core/system/files.h"
#include "core/system/memory.h"
#include "core/system/posix/files.h"
#include "core/system/processes.h"
#include "core/system/sandbox.h"

namespace snapviewer {

/// macOS has no call that creates an unnamed file, so the file is created with a name and unlinked.
FileHandle create_unnamed_file(const std::string& folder, std::error_code& failed) {
    std::string path = with_separator(folder) + ".snapviewer-XXXXXX";
    FileHandle file = opened_descriptor(::mkstemp(path.data()), failed);
    if (failed) return file;
    ::unlink(path.c_str());
    ::fcntl(descriptor_of(file), F_SETFD, FD_CLOEXEC);
    return file;
}

FileHandle create_file_in_memory(std::error_code& failed) {
    failed = std::make_error_code(std::errc::operation_not_supported);
    return {};
}

/// Free pages, plus inactive and purgeable pages, which the system can reuse at once.
std::uint64_t available_memory_bytes() {
    vm_statistics64_data_t pages{};
    mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
    if (::host_statistics64(::mach_host_self(), HOST_VM_INFO64, reinterpret_cast<host_info64_t>(&pages), &count) !=
        KERN_SUCCESS)
        return std::numeric_limits<std::uint64_t>::max();
    return (std::uint64_t{pages.free_count} + pages.inactive_count + pages.purgeable_count) * page_bytes();
}

std::uint64_t held_memory_bytes() {
    task_vm_info_data_t info{};
    mach_msg_type_number_t count = TASK_VM_INFO_COUNT;
    const kern_return_t status = ::task_info(::mach_task_self(), TASK_VM_INFO, reinterpret_cast<task_info_t>(&info), &count);
    return status == KERN_SUCCESS ? info.phys_footprint : 0;
}

std::uint64_t peak_memory_bytes() {
    rusage usage{};
    // The unit of ru_maxrss is bytes on macOS, unlike on Linux.
    return ::getrusage(RUSAGE_SELF, &usage) == 0 ? static_cast<std::uint64_t>(usage.ru_maxrss) : 0;
}

std::size_t allocated_bytes(void* block) { return ::malloc_size(block); }
void limit_memory_of_process(std::uint64_t /*bytes*/) {}
bool make_resident(std::span<const std::byte> /*memory*/) { return false; }
std::filesystem::path program_path() {
    std::array<char, 4096> path{};
    std::uint32_t size = path.size();
    std::error_code failed;
    if (::_NSGetExecutablePath(path.data(), &size) != 0) return {};
    return std::filesystem::canonical(path.data(), failed);
}

std::uint64_t thread_time_ns() { return ::clock_gettime_nsec_np(CLOCK_THREAD_CPUTIME_ID); }
std::int64_t coarse_time_ns() { return static_cast<std::int64_t>(::clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX)); }

namespace {

int prepared_socket(int socket) {
    if (socket < 0) return socket;
    ::fcntl(socket, F_SETFD, FD_CLOEXEC);
    ::fcntl(socket, F_SETFL, O_NONBLOCK);
    const int on = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
    return socket;
}

}  // namespace

bool open_pipe(int (&ends)[2]) {
    return ::pipe(ends) == 0 && ::fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && ::fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0;
}

int open_tcp_socket() { return prepared_socket(::socket(AF_INET, SOCK_STREAM, 0)); }
int accept_tcp_socket(int listener) { return prepared_socket(::accept(listener, nullptr, nullptr)); }
void end_commands_on_exit() {}
void end_with_parent() {}
void report_refused_calls() {}
Sandbox enter_sandbox(const SandboxNeeds& /*needs*/) { return {.why_not = "there is none on macOS yet"}; }

}  // namespace snapviewer
