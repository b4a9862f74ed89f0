#include <emscripten.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/system/posix/processes.h"
#include "core/system/processes.h"
#include "core/system/threads.h"

namespace snapviewer {

std::filesystem::path own_program() { return {}; }

void have_commands_end_with_this_program() {}
void end_with_parent() {}

namespace {

constexpr double k_ns_per_ms = 1e6;
constexpr double k_most_between_looks_ms = 5;

struct SpentTime {
    double looked_at_ms = ::emscripten_get_now();
    double spent_ms = 0;
};

/// A program that is linked without threads has no thread-local storage, so it uses a static variable.
SpentTime& time_of_this_thread() {
    static SpentTime alone;
    if (!has_threads()) return alone;
    thread_local SpentTime of_thread;
    return of_thread;
}

}  // namespace

/// Browsers do not report the CPU time of threads, so this measures elapsed time between calls. Each interval counts for at
/// most 5 ms, because the thread or the whole machine may have slept.
std::uint64_t thread_time_ns() {
    SpentTime& time = time_of_this_thread();
    const double now_ms = ::emscripten_get_now();
    time.spent_ms += std::min(now_ms - time.looked_at_ms, k_most_between_looks_ms);
    time.looked_at_ms = now_ms;
    return static_cast<std::uint64_t>(time.spent_ms * k_ns_per_ms);
}

std::int64_t rough_time_ns() { return static_cast<std::int64_t>(::emscripten_get_now() * k_ns_per_ms); }

bool open_pipe(int (&ends)[2]) { return ::pipe(ends) == 0; }

int open_tcp_socket() { return -1; }

int accept_tcp_socket(int /*listener*/) { return -1; }

/// A web page cannot start programs.
int spawn_program(const std::vector<std::string>& /*words*/, const posix_spawn_file_actions_t* /*actions*/, int /*flags*/,
                  pid_t& /*id*/) {
    return ENOSYS;
}

}  // namespace snapviewer
