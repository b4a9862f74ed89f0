#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/address_space.h"

namespace snapviewer {

/// Idle memory in a device's reserved memory at one moment, in bytes.
struct HolesRow {
    std::uint64_t reserved = 0;     ///< Reserved memory of the default pool
    std::uint64_t idle = 0;         ///< Reserved memory of the default pool that is in no block
    std::uint64_t idle_pinned = 0;  ///< Part of `idle` that empty_cache() would not return because blocks pin it
    std::uint64_t largest_hole = 0;
    std::uint64_t idle_private = 0;  ///< Idle memory of private pools
    std::uint64_t reserved_private = 0;
    bool operator==(const HolesRow&) const = default;

    /// Returns the fragmentation: 0 if all idle memory is contiguous, or if there is none; close to 1 if it is in small
    /// pieces.
    double ratio() const { return idle == 0 ? 0.0 : 1.0 - static_cast<double>(largest_hole) / static_cast<double>(idle); }
};

/// Driver calls for more memory that happened although at least as much memory as the request lay idle in ranges that the
/// request could have used.
struct GrownDespiteIdle {
    std::uint64_t times = 0;
    std::uint64_t of_times = 0;  ///< Number of all driver calls for more memory
    std::uint64_t bytes = 0;
    std::uint64_t of_bytes = 0;
};

/// The holes of a device over its whole recording. Immutable once built.
struct HolesHistory {
    /// First moment in `rows`. If reserved memory is only known at the end, this is the last moment of the recording.
    std::uint32_t first_moment = 0;
    std::vector<HolesRow> rows;      ///< One row per moment, beginning with `first_moment`
    std::uint32_t worst_moment = 0;  ///< First moment with the largest `idle_pinned`
    /// Among the moments with the most reserved memory, the first with the least idle memory.
    std::uint32_t most_reserved_moment = 0;
    GrownDespiteIdle grown;

    const HolesRow& at(std::uint32_t moment) const { return rows[moment - first_moment]; }
};

/// Computes the holes at all moments. All rows are zero if the file does not list the device's segments. Throws a Failure
/// only when stopped. O(events log addresses): about 0.2 s and 40 MB for a million events. A range whose blocks overlap, as
/// in contradictory files, is recomputed at each of its events.
HolesHistory holes_history(const AddressSpace& space);

}  // namespace snapviewer
