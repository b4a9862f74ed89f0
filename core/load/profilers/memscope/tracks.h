#pragma once

#include <vector>

#include "core/load/profilers/memscope/dump.h"

namespace snapviewer::memscope {

/// Something that lasts, or a moment: then it ends as it starts. k_no_ns for an end that the file does not hold.
struct Stretch {
    std::int64_t start_ns = k_no_ns;
    std::int64_t end_ns = k_no_ns;
    std::int32_t device = k_no_device;
    Activity activity = Activity::mstx;
    StringId name;
};

/// Brings starts and ends together. Ranges of MSTX: by the id that an end names, which counts the starts of its process,
/// else the innermost that is open in its thread. Operations nest by name within a thread, kernels go by name, stream and
/// task.
std::vector<Stretch> pair_occurrences(const Dump& dump, const Snapshot& snapshot);

/// What lies below the picture of a device: ranges and marks of MSTX; and, if `all`, operations, kernels and their
/// launches. What names no device belongs to each, and everything to what is no device. Those without rows are absent.
std::vector<Track> activity_tracks(const std::vector<Stretch>& stretches, const Snapshot& snapshot, std::int32_t device,
                                   bool all);

}  // namespace snapviewer::memscope
