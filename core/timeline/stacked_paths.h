#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// True if a file's polygons are those of a stack: allocations lie on one another without gaps, and slide down when one
/// below them ends, at the steps that the file contains. This is the picture of any recording of events. Such polygons need
/// not be kept, because they can be computed and drawn from an index at any size. Most files that SnapViewer writes are like
/// this.
///
/// The polygons must be equal to the last point. O(path points). Throws stopped().
bool are_stacked(const DeviceTrace& trace);

}  // namespace snapviewer
