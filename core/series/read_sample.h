#pragma once

#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/series/series.h"
#include "core/series/series_files.h"

namespace snapviewer {

/// A sample and whose it is.
struct ReadSample {
    std::int64_t rank = 0;
    std::int64_t device = 0;
    std::string host;
    SeriesSample sample;
};

/// What is kept of one file of a series.
struct ReadSeriesFile {
    std::vector<ReadSample> samples;  ///< one for each device that it speaks of
    std::vector<SeriesDump> dumps;    ///< at most one
    std::vector<SeriesFailure> failed;
};

/// Reads a snapshot and what lies beside it; nothing else of it is in memory afterwards. What a recorder calls a full
/// snapshot is not read itself. Throws only stopped(). Takes as long as reading the file, without working out any
/// allocation. Any thread.
ReadSeriesFile read_series_file(const SeriesFile& file, Progress& progress);

}  // namespace snapviewer
