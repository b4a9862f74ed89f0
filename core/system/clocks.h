#pragma once

#include <cstdint>
#include <ctime>
#include <optional>

/// Clocks that the standard library does not have. Thread-safe.
namespace snapviewer {

/// The CPU time of the calling thread.
std::uint64_t thread_time_ns();

/// A monotonic clock with an arbitrary origin. It is accurate to some milliseconds and much cheaper than an exact clock.
std::int64_t rough_time_ns();

/// Converts a time to the time zone of this machine; nullopt if it is out of the calendar's range.
std::optional<std::tm> local_time(std::time_t moment);

}  // namespace snapviewer
