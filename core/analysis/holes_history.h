#pragma once

#include <cstdint>
#include <vector>

#include "core/analysis/address_space.h"

namespace snapviewer {

/// Idle bytes in a device's reserved memory at one moment.
struct HolesRow {
    std::uint64_t reserved = 0;     ///< of the default pool, like the next three
    std::uint64_t idle = 0;         ///< not in a block
    std::uint64_t idle_pinned = 0;  ///< of these, what empty_cache() would not return, because blocks pin it
    std::uint64_t largest_hole = 0;
    std::uint64_t idle_private = 0;  ///< in private pools
    std::uint64_t reserved_private = 0;
    bool operator==(const HolesRow&) const = default;

    /// Fragmentation: 0 if all idle memory is one piece, or if none is idle; close to 1 if it is in small pieces.
    double ratio() const { return idle == 0 ? 0.0 : 1.0 - static_cast<double>(largest_hole) / static_cast<double>(idle); }
};

/// Driver calls for more memory although as much as the request lay idle where it could have been used.
struct GrownDespiteIdle {
    std::uint64_t times = 0;
    std::uint64_t of_times = 0;  ///< all driver calls for more
    std::uint64_t bytes = 0;
    std::uint64_t of_bytes = 0;
};

/// The holes of a device over its whole recording. Immutable once built.
struct HolesHistory {
    std::uint32_t first_moment = 0;  ///< the last moment if reserved memory is only known at the end
    std::vector<HolesRow> rows;      ///< by moment, from the first on
    std::uint32_t worst_moment = 0;  ///< the first with most idle_pinned
    /// The first of the moments with most reserved memory and, among those, least idle memory.
    std::uint32_t most_reserved_moment = 0;
    GrownDespiteIdle grown;

    const HolesRow& at(std::uint32_t moment) const { return rows[moment - first_moment]; }
};

/// All rows are zero if the file does not list the device's segments. Throws a Failure only when stopped.
/// O(events log addresses): some 0.2 s and 40 MB for a million events. A range whose blocks overlap, as contradicting files
/// have them, is measured anew at each of its events.
HolesHistory holes_history(const AddressSpace& space);

}  // namespace snapviewer
