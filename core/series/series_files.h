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

/// What there is to say of a folder in which there are none.
inline constexpr const char* k_no_series_files =
    "holds no files with the endings of snapshots (.pickle, .pkl, .json, .gz, ...); name files with other endings one by "
    "one";

/// What was seen of a file and of what the recorder wrote beside it: whether they changed.
struct SeriesStamp {
    std::int64_t written = 0;       ///< in ticks of the file system's clock
    std::uint64_t about_bytes = 0;  ///< 0 where there is none
    std::int64_t about_written = 0;
    std::uint64_t file_bytes = 0;
    bool operator==(const SeriesStamp&) const = default;
};

/// A file of a series, before it is read.
struct SeriesFile {
    std::string path;
    SeriesStamp stamp;
    SampleName name;
    bool is_failure = false;  ///< not a snapshot: what a recorder says of one that could not be written
    std::string error = {};   ///< why it cannot be read, where that is known before
};

/// The files named, and of folders all below them whose names end as those of snapshots do, except hidden ones, which are
/// not finished. By name, numbers counting by their value. Fails only when stopped. O(entries of the folders).
Result<std::vector<SeriesFile>> find_series_files(std::span<const std::string> paths, Progress& progress);

/// Whether samples that a recorder named lie in a folder or below it. Ends at the first one; false if it is stopped before.
bool holds_series(const std::string& folder);

}  // namespace snapviewer
