#pragma once

#include <memory>

#include "core/base/progress.h"
#include "core/load/snapviewer_parts.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Whether there is SnapViewer's allocations.json.
bool is_snapviewer(const SnapviewerParts& parts);

/// Reads a trace that SnapViewer's converter made: allocations.json, the polygons, which are kept as they are; and the
/// elements that they belong to, as events in elements.json or in elements_0.json, elements_1.json, ..., or as stacks in
/// elements.db. An element that may be another polygon's is not used, and the log says so. Throws Failure.
std::unique_ptr<Snapshot> read_snapviewer(SnapviewerParts& parts);

}  // namespace snapviewer
