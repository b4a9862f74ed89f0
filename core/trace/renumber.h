#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Renumbers stacks and frames in the order in which segments, blocks and then events first refer to them, and drops unused
/// ones. Thus the same content gets the same numbers in every file format. O(events).
void renumber_stacks(Snapshot& snapshot);

}  // namespace snapviewer
