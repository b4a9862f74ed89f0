#include <fcntl.h>
#include <mach-o/dyld.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <ctime>

#include "core/system/posix/processes.h"
#include "core/system/processes.h"

namespace snapviewer {

std::filesystem::path own_program() {
    std::array<char, 4096> path{};
    std::uint32_t size = path.size();
    std::error_code failed;
    if (::_NSGetExecutablePath(path.data(), &size) != 0) return {};
    return std::filesystem::canonical(path.data(), failed);
}

void have_commands_end_with_this_program() {}
void end_with_parent() {}

std::uint64_t thread_time_ns() { return ::clock_gettime_nsec_np(CLOCK_THREAD_CPUTIME_ID); }

std::int64_t rough_time_ns() { return static_cast<std::int64_t>(::clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX)); }

namespace {

int that_never_waits(int socket) {
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

int open_tcp_socket() { return that_never_waits(::socket(AF_INET, SOCK_STREAM, 0)); }

int accept_tcp_socket(int listener) { return that_never_waits(::accept(listener, nullptr, nullptr)); }

}  // namespace snapviewer
