#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/base/result.h"
#include "core/fleet/series/series.h"
#include "core/fleet/series/series_files.h"

namespace snapviewer {

/// A sample, with the rank, device and host that it belongs to.
struct ReadSample {
    std::int64_t rank = 0;
    std::int64_t device = 0;
    std::string host;
    SeriesSample sample;
};

/// The data kept of one file of a series.
struct ReadSeriesFile {
    std::vector<ReadSample> samples;  ///< One sample for each device in the file.
    std::vector<SeriesDump> dumps;    ///< The file as a full snapshot, if it is one; at most one element.
    std::vector<SeriesFailure> failed;
    bool lacked_memory = false;  ///< the file was not read because memory ran out
};

/// Reads a snapshot and the recorder's facts beside it, and keeps only the samples. A file that its recorder calls a full
/// snapshot is not loaded; only its facts are read. Throws only stopped(); other errors are returned in `failed`. Takes as
/// long as loading the file, without computing allocations. Thread-safe.
ReadSeriesFile read_series_file(const SeriesFile& file, Progress& progress);

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
