#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// No sum of sizes, and no distance of times, may overflow further on, whatever a file says. Sizes that together exceed
/// 2 EiB become 0, and times more than 18,000 years from 1970 become k_no_time; the log says how many. One pass over
/// everything read; before allocations are collected.
void keep_within_bounds(Snapshot& snapshot);

}  // namespace snapviewer
