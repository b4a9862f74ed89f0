#pragma once

#include <cstdint>

/// Clocks that the standard library has no name for.
namespace snapviewer {

/// The time that processors have spent on the calling thread.
std::uint64_t thread_time_ns();

/// Since some moment; good to some milliseconds, at a fraction of the cost of an exact one.
std::int64_t rough_time_ns();

}  // namespace snapviewer
