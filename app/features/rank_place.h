#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Identifies a rank of a fleet. Stays valid when the files are read again.
struct RankPlace {
    std::string file;
    std::int64_t rank = 0;
    std::optional<std::int64_t> device;
    bool operator==(const RankPlace&) const = default;
};

/// Text for a rank, such as "rank 7" or "rank 7, device 1". The device is omitted if it is the first.
std::string rank_words(const RankPlace& place);

/// Index of the device of `snapshot` that belongs to a rank. Falls back to the first device with the number of `place` if no
/// device has the rank. nullopt if `snapshot` has no such device.
std::optional<std::size_t> device_of_rank(const Snapshot& snapshot, const RankPlace& place);

}  // namespace snapviewer
