#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/series/series.h"
#include "core/series/series_files.h"

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

}  // namespace snapviewer
