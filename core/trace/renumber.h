#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Numbers stacks and frames anew in the order in which segments, blocks and then events first mention them, and drops those
/// that nothing mentions. So the same content has the same numbers, whatever file it came in. O(events).
void renumber_stacks(Snapshot& snapshot);

}  // namespace snapviewer
