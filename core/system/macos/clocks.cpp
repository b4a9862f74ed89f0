#include "core/system/clocks.h"

#include <ctime>

namespace snapviewer {

std::uint64_t thread_time_ns() { return ::clock_gettime_nsec_np(CLOCK_THREAD_CPUTIME_ID); }

std::int64_t rough_time_ns() { return static_cast<std::int64_t>(::clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW_APPROX)); }

}  // namespace snapviewer
