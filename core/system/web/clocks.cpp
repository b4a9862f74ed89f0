#include "core/system/clocks.h"

#include <emscripten.h>

#include <algorithm>

namespace snapviewer {

namespace {
constexpr double k_ns_per_ms = 1e6;
constexpr double k_most_between_looks_ms = 5;
}  // namespace

/// No page is told what its threads cost. So it is the time that passes, but not while nobody looks: a thread may have
/// slept, and the whole machine, too.
std::uint64_t thread_time_ns() {
    thread_local double looked_at_ms = ::emscripten_get_now();
    thread_local double spent_ms = 0;
    const double now_ms = ::emscripten_get_now();
    spent_ms += std::min(now_ms - looked_at_ms, k_most_between_looks_ms);
    looked_at_ms = now_ms;
    return static_cast<std::uint64_t>(spent_ms * k_ns_per_ms);
}

std::int64_t rough_time_ns() { return static_cast<std::int64_t>(::emscripten_get_now() * k_ns_per_ms); }

}  // namespace snapviewer
