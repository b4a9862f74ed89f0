#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Ensures that later code cannot overflow when it adds sizes or subtracts times, whatever the file contains. Sizes that
/// together exceed 2 EiB become 0, and times more than 18,000 years away from 1970 become k_no_time; the log reports how
/// many. Call it before allocations are collected. O(everything read).
void limit_values(Snapshot& snapshot);

/// Repairs the times of events after the clock was set back, and drops stray times. After a jump back, times continue from
/// the last time before it, and annotations are moved along. A few times that are far from all others become k_no_time. The
/// log reports both. Times that are only slightly out of order are kept. O(events + annotations).
void repair_clocks(Snapshot& snapshot);

/// Renumbers stacks and frames in the order in which segments, blocks and then events first refer to them, and drops unused
/// ones. Thus the same content gets the same numbers in every file format. O(events).
void renumber_stacks(Snapshot& snapshot);

}  // namespace snapviewer
