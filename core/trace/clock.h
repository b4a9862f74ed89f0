#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Makes the times of events increase again where the clock was set back, and drops stray times. After a jump back, times
/// continue from the last one before it, and annotations move along. A few times far from all others become k_no_time. The
/// log reports both. Times that are only slightly out of order stay. O(events + annotations).
void mend_clocks(Snapshot& snapshot);

}  // namespace snapviewer
