#pragma once

#include <cstdint>
#include <optional>

#include "core/load/profilers/ascend/records.h"
#include "core/load/profilers/probe.h"

/// Checks of values from the memory tables, shared by their readers.
namespace snapviewer::ascend {

inline constexpr std::int64_t k_no_string = 4294967295;  // All bits set: an operation that could not be matched.
inline constexpr std::int64_t k_latest_ns = std::int64_t{1} << 62;

inline std::int32_t device_number(const SqliteRows& rows, int column) {
    const auto number = whole_number(rows, column);
    return number && *number >= 0 && *number <= 0xFFFF ? static_cast<std::int32_t>(*number) : k_no_device;
}

/// Reads a time. nullopt unless it is after 1970 and a day can be added without overflow.
inline std::optional<std::int64_t> moment(const SqliteRows& rows, int column) {
    const auto time = whole_number(rows, column);
    return time && *time > 0 && *time < k_latest_ns ? time : std::nullopt;
}

/// Lowers `first_ns` to `time_ns` if that is positive and earlier.
inline void keep_first(std::optional<std::int64_t>& first_ns, std::int64_t time_ns) {
    if (time_ns > 0 && (!first_ns || time_ns < *first_ns)) first_ns = time_ns;
}

}  // namespace snapviewer::ascend
