#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Ensures that later code cannot overflow when it adds sizes or subtracts times, whatever the file contains. Sizes that
/// together exceed 2 EiB become 0, and times more than 18,000 years away from 1970 become k_no_time; the log reports how
/// many. Call it before allocations are collected. O(everything read).
void keep_within_bounds(Snapshot& snapshot);

}  // namespace snapviewer
