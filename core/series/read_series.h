#pragma once

#include <span>
#include <string>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/series/series.h"

namespace snapviewer {

/// Reads a folder written by a recorder, or any snapshots of the same ranks, a thread for each processor; some hundreds of
/// bytes a sample stay. Files that cannot be read are in `failed`. Fails when stopped and where there are no files.
/// `progress` counts files.
Result<SampleSeries> read_series(std::span<const std::string> paths, Progress& progress);

}  // namespace snapviewer
