#pragma once

#include <memory>

#include "core/base/progress.h"
#include "core/load/snapviewer_parts.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// True if SnapViewer's allocations.json is among the files.
bool is_snapviewer(const SnapviewerParts& parts);

/// Reads a trace that SnapViewer's converter made. It consists of polygons (allocations.json), which are kept unchanged, and
/// of the elements that they belong to: events in elements.json or in elements_0.json, elements_1.json, ..., or only stacks
/// in elements.db. An element that may belong to another polygon is not used, and the import log says so. Throws Failure.
std::unique_ptr<Snapshot> read_snapviewer(SnapviewerParts& parts);

}  // namespace snapviewer
