#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string>

#include "core/system/posix/processes.h"
#include "core/system/processes.h"

namespace snapviewer {
namespace {

/// The variable with the id of the process whose end must end its commands. It is an environment variable because
/// PR_SET_PDEATHSIG is not inherited.
constexpr const char* k_parent_variable = "SNAPVIEWER_PARENT";

}  // namespace

void have_commands_end_with_this_program() { ::setenv(k_parent_variable, std::to_string(::getpid()).c_str(), 1); }

void end_with_parent() {
    const char* const parent = std::getenv(k_parent_variable);
    if (parent == nullptr) return;
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (parent != std::to_string(::getppid())) std::raise(SIGTERM);  // the parent has ended before prctl()
}

std::filesystem::path own_program() {
    std::error_code failed;
    return std::filesystem::read_symlink("/proc/self/exe", failed);
}

namespace {

std::int64_t time_ns(clockid_t clock) {
    std::timespec time{};
    ::clock_gettime(clock, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::uint64_t thread_time_ns() { return static_cast<std::uint64_t>(time_ns(CLOCK_THREAD_CPUTIME_ID)); }

std::int64_t rough_time_ns() { return time_ns(CLOCK_MONOTONIC_COARSE); }

bool open_pipe(int (&ends)[2]) { return ::pipe2(ends, O_CLOEXEC) == 0; }

int open_tcp_socket() { return ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

int accept_tcp_socket(int listener) { return ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); }

}  // namespace snapviewer
