#pragma once

#include <memory>
#include <string>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// What reading a file took.
struct LoadTimings {
    double read_ms = 0;
    double parse_ms = 0;
};

/// Reads any file we know, recognised by its bytes, never by its name: pickles of torch.cuda.memory._dump_snapshot and
/// SnapViewer's zips. The result has its allocations collected. Nothing in a file can be called, imported or written.
Result<std::shared_ptr<const Snapshot>> load_snapshot(const std::string& path, Progress& progress,
                                                      LoadTimings* timings = nullptr);

}  // namespace snapviewer
