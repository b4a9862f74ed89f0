#pragma once

#include <cstdint>

namespace snapviewer {

/// How much more memory this process may take before the system ends it or begins to swap: what the system calls available,
/// or less where a control group or a limit of the process says so. The largest number where it is unknown. Some ten
/// microseconds.
std::uint64_t available_memory_bytes();

/// What this process holds of its own now; mapped files do not count. 0 where it is unknown. Microseconds.
std::uint64_t held_memory_bytes();

}  // namespace snapviewer
