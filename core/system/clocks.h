#pragma once

#include <cstdint>
#include <ctime>
#include <optional>

/// Clocks that the standard library has no name for.
namespace snapviewer {

/// The time that processors have spent on the calling thread.
std::uint64_t thread_time_ns();

/// Since some moment; good to some milliseconds, at a fraction of the cost of an exact one.
std::int64_t rough_time_ns();

/// A moment in days and hours of this machine's time zone; none where the calendar does not go that far. Any thread.
std::optional<std::tm> local_time(std::time_t moment);

}  // namespace snapviewer
