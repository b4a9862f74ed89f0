#pragma once

#include <cstdint>
#include <memory>

#include "core/base/progress.h"
#include "core/load/zip_archive.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// Reads the largest member of a zip that is a snapshot of any kind that read_stream reads; the log names the others.
/// Throws Failure.
std::shared_ptr<Snapshot> read_zipped_snapshot(ZipArchive& archive);

}  // namespace snapviewer
