#pragma once

#include <memory>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/load/zip_archive.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Whether the zip holds SnapViewer's allocations.json.
bool is_snapviewer_zip(const ZipArchive& archive);

/// Reads SnapViewer's zip of two JSON members: allocations.json, the polygons in drawing order ({"timesteps", "offsets",
/// "size"} and often "elem", the number of its element), and elements.json, the events they belong to. The polygons are kept
/// as they are. Both members are streamed. Throws ReadFailure.
std::unique_ptr<Snapshot> read_snapviewer_zip(ZipArchive& archive, Progress& progress);

}  // namespace snapviewer
