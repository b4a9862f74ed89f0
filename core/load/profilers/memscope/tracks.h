#pragma once

#include <vector>

#include "core/load/profilers/memscope/blocks.h"
#include "core/load/profilers/memscope/dump.h"

namespace snapviewer::memscope {

/// An activity with a duration, or a moment, whose start and end are equal. A start or end that is missing in the file is
/// k_no_ns.
struct Stretch {
    std::int64_t start_ns = k_no_ns;
    std::int64_t end_ns = k_no_ns;
    std::int32_t device = k_no_device;
    std::int64_t process = 0;  ///< Process id; 0 if the activity belongs to all processes.
    Activity activity = Activity::mstx;
    StringId name;
};

/// Pairs starts and ends. An end of an MSTX range may contain an id, which counts the ranges that its process started; else
/// it ends the innermost open range of its thread. Operations are paired by name within a thread, innermost first; kernels
/// by name, stream and task.
std::vector<Stretch> pair_occurrences(const Dump& dump, const Snapshot& snapshot);

/// The tracks below the picture of a part: MSTX ranges and marks and, if `all`, operations, kernels and kernel launches. A
/// stretch without a device or process is shown for every device or process. A part without a device shows the stretches of
/// all devices. Omits empty tracks.
std::vector<Track> activity_tracks(const std::vector<Stretch>& stretches, const Snapshot& snapshot, const Part& part,
                                   bool all);

}  // namespace snapviewer::memscope
