#include "core/system/clocks.h"

#include <emscripten.h>

namespace snapviewer {

namespace {
constexpr double k_ns_per_ms = 1e6;
}

/// No page is told what its threads cost; the time that passes is the most it can have been.
std::uint64_t thread_time_ns() { return static_cast<std::uint64_t>(::emscripten_get_now() * k_ns_per_ms); }

std::int64_t rough_time_ns() { return static_cast<std::int64_t>(::emscripten_get_now() * k_ns_per_ms); }

}  // namespace snapviewer
