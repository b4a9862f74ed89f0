#pragma once

#include <map>
#include <span>
#include <string>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/series/read_sample.h"
#include "core/series/series.h"
#include "core/series/series_files.h"

namespace snapviewer {

/// What was read of a folder, so that only what is new or was changed is read the next time. Some hundreds of bytes a
/// sample.
struct SeriesMemory {
    struct Known {
        SeriesStamp stamp;
        ReadSeriesFile read;
    };
    std::map<std::string, Known> files;  ///< by path
};

/// Reads a folder written by a recorder, or any snapshots of the same ranks, a thread for each processor; some hundreds of
/// bytes a sample stay. Files that cannot be read are in `failed`. Fails when stopped and where there are no files.
/// `progress` counts files. What `memory` knows is not read again; it is left with what is there now, and after a stop with
/// what it knew and what was read until then.
Result<SampleSeries> read_series(std::span<const std::string> paths, Progress& progress, SeriesMemory* memory = nullptr);

}  // namespace snapviewer
