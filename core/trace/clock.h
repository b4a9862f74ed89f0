#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Repairs the times of events after the clock was set back, and drops stray times. After a jump back, times continue from
/// the last time before it, and annotations are moved along. A few times that are far from all others become k_no_time. The
/// log reports both. Times that are only slightly out of order are kept. O(events + annotations).
void mend_clocks(Snapshot& snapshot);

}  // namespace snapviewer
