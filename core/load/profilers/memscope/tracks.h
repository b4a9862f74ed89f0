#pragma once

#include <vector>

#include "core/load/profilers/memscope/blocks.h"
#include "core/load/profilers/memscope/dump.h"

namespace snapviewer::memscope {

/// Something that lasts, or a moment: then it ends as it starts. k_no_ns for an end that the file does not hold.
struct Stretch {
    std::int64_t start_ns = k_no_ns;
    std::int64_t end_ns = k_no_ns;
    std::int32_t device = k_no_device;
    std::int64_t process = 0;  ///< 0 = it belongs to all
    Activity activity = Activity::mstx;
    StringId name;
};

/// Brings starts and ends together. Ranges of MSTX: by the id that an end names, which counts the starts of its process,
/// else the innermost that is open in its thread. Operations nest by name within a thread, kernels go by name, stream and
/// task.
std::vector<Stretch> pair_occurrences(const Dump& dump, const Snapshot& snapshot);

/// What lies below the picture of a part: ranges and marks of MSTX; and, if `all`, operations, kernels and their launches. A
/// stretch that names no device belongs to each, as does one that names no process; a part that is on no device has those of
/// all devices. Tracks without rows are absent.
std::vector<Track> activity_tracks(const std::vector<Stretch>& stretches, const Snapshot& snapshot, const Part& part,
                                   bool all);

}  // namespace snapviewer::memscope
