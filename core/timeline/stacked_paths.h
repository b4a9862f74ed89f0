#pragma once

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Whether the polygons that a file gives are those of allocations that lie on one another without gaps and slide down when
/// one below them ends, at the steps that the file gives: the picture of any recording of events, which need not keep its
/// polygons and is drawn at any size from an index. SnapViewer's files are mostly such.
///
/// Polygons have to be equal to the last point. O(path points).
bool are_stacked(const DeviceTrace& trace);

}  // namespace snapviewer
