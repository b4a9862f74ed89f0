#pragma once

#include <cstdint>
#include <string>

namespace snapviewer {

/// Formats a time since the Unix epoch for the details of an allocation, to the nanosecond: "2025-01-14 08:21:09.123456789
/// UTC".
std::string moment_text(std::int64_t time_ns);

/// Formats a duration: "1.250 ms".
std::string duration_text(std::int64_t duration_ns);

}  // namespace snapviewer
