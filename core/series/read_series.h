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

/// A cache of the files read so far, so that the next read_series() only reads new and changed files. Takes a few hundred
/// bytes per sample.
struct SeriesMemory {
    struct Known {
        SeriesStamp stamp;
        ReadSeriesFile read;
    };
    std::map<std::string, Known> files;  ///< Cached files by path.
};

/// Reads a folder written by a recorder, or any snapshots of the same ranks, on one thread per processor. The result takes a
/// few hundred bytes per sample. Files that cannot be read are listed in `failed`. Fails if stopped or if there are no
/// files. `progress` counts files. Files whose stamp in `memory` is unchanged are not read again. Afterwards `memory`
/// contains exactly the present files; after a stop, the old entries and the files read until then.
Result<SampleSeries> read_series(std::span<const std::string> paths, Progress& progress, SeriesMemory* memory = nullptr);

}  // namespace snapviewer
