#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Makes the times of events follow one another where the clock was set back, and drops stray ones. After a jump back, times
/// are counted on from the last one before it; those of annotations move along. A few times that lie far from all others
/// become k_no_time. The log says so. Times that are only a little out of order stay. O(events + annotations).
void mend_clocks(Snapshot& snapshot);

}  // namespace snapviewer
