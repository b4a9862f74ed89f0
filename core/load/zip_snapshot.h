#pragma once

#include <cstdint>
#include <memory>

#include "core/base/progress.h"
#include "core/load/zip_archive.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Reads the largest member of a zip that read_stream() can read as a snapshot. The import log names further snapshots in
/// the zip. Throws Failure.
std::shared_ptr<Snapshot> read_zipped_snapshot(ZipArchive& archive);

}  // namespace snapviewer
