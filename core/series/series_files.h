#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/series/sample_name.h"
#include "core/series/series.h"

namespace snapviewer {

/// Message for a folder without snapshots.
inline constexpr const char* k_no_series_files =
    "holds no files with the endings of snapshots (.pickle, .pkl, .json, .gz, ...); name files with other endings one by "
    "one";

/// Size and modification time of a file and of the facts that its recorder wrote beside it, used to detect changes.
struct SeriesStamp {
    std::int64_t written = 0;       ///< modification time in ticks of the file system's clock
    std::uint64_t about_bytes = 0;  ///< size of the recorder's facts; 0 if there are none
    std::int64_t about_written = 0;
    std::uint64_t file_bytes = 0;
    bool operator==(const SeriesStamp&) const = default;
};

/// A file of a series, before it is read.
struct SeriesFile {
    std::string path;
    SeriesStamp stamp;
    SampleName name;
    /// The file is not a snapshot but a recorder's facts about a snapshot that could not be written.
    bool is_failure = false;
    std::string error = {};  ///< Why the file cannot be read, if this is known before reading it.
};

/// Finds the files of a series: the named files, and all files below the named folders whose names have a snapshot's ending.
/// Skips hidden files in folders, because they are unfinished. Sorted by name, with numbers in names compared by value.
/// Fails only if stopped. O(entries of the folders).
Result<std::vector<SeriesFile>> find_series_files(std::span<const std::string> paths, Progress& progress);

/// True if the folder or a folder below it contains samples with a recorder's names. Ends the search at the first sample;
/// false if stopped before.
bool holds_series(const std::string& folder);

}  // namespace snapviewer
