#pragma once

#include <cstdint>
#include <vector>

namespace snapviewer {

/// Where the ticks of a timeline lie and what is live after each: columns as long as there are ticks. Shared by the timeline
/// and the curve of its totals.
struct Ticks {
    std::vector<std::uint64_t> step;
    std::vector<std::int64_t> time_us;  ///< since the left edge; empty when the file has no times
    std::vector<std::uint64_t> total_bytes;
};

}  // namespace snapviewer
