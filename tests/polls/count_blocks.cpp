// Counts the basic blocks that a thread executes between two polls for a stop, while it has a Context with a budget. The
// compiler calls __sanitizer_cov_trace_pc() in each basic block of core and app. Blocks of libraries are not counted, except
// those of their headers.

#include <execinfo.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>

#include "core/base/context.h"

namespace {

/// How often a thread checks whether it has a budget, and records where it is.
constexpr std::uint64_t k_blocks_a_check = 1 << 16;
constexpr std::uint64_t k_min_reported = 16 * k_blocks_a_check;

struct Counter {
    std::uint64_t blocks = 0;       ///< since the last poll
    std::uint64_t recorded_at = 0;  ///< value of `blocks` when `frames` was filled
    void* frames[24];
    int frame_count = 0;
    bool is_checking = false;
};

thread_local Counter counter;
std::atomic<std::uint64_t> max_blocks = k_min_reported;

/// Prints a new maximum to standard error: "polls: BLOCKS" and the stack, a line per frame.
void report(const Counter& from) {
    std::uint64_t before = max_blocks;
    do {
        if (from.blocks <= before) return;
    } while (!max_blocks.compare_exchange_weak(before, from.blocks));
    char line[64];
    const int size = std::snprintf(line, sizeof line, "\npolls: %llu\n", static_cast<unsigned long long>(from.blocks));
    if (write(STDERR_FILENO, line, static_cast<std::size_t>(size)) < 0) return;
    backtrace_symbols_fd(from.frames, from.frame_count, STDERR_FILENO);
}

/// Reports work that is not followed by a poll when its thread ends.
struct LastReport {
    ~LastReport() { report(counter); }
    void enable() {}  // a thread makes it when it first calls this
};
thread_local LastReport last_report;

void check() {
    counter.is_checking = true;  // Context::current() is counted, too
    last_report.enable();
    if (snapviewer::Context::current().budget == nullptr) {
        report(counter);  // the work ended without a poll
        counter.blocks = counter.recorded_at = 0;
    } else if (counter.blocks >= k_min_reported && counter.blocks >= 2 * counter.recorded_at) {
        counter.recorded_at = counter.blocks;
        counter.frame_count = backtrace(counter.frames, 24);
    }
    counter.is_checking = false;
}

}  // namespace

extern "C" {

void __sanitizer_cov_trace_pc() {
    if (++counter.blocks % k_blocks_a_check == 0 && !counter.is_checking) check();
}

std::int64_t __real__ZN10snapviewer14coarse_time_nsEv();
std::int64_t __wrap__ZN10snapviewer14coarse_time_nsEv() {
    report(counter);
    counter.blocks = counter.recorded_at = 0;
    return __real__ZN10snapviewer14coarse_time_nsEv();
}
}
