#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/fleet/summarise.h"

namespace snapviewer {

/// Message for a folder without snapshots.
inline constexpr const char* k_no_fleet_files =
    "holds no files with the endings of snapshots (.pickle, .pkl, .json, .gz, ...); name files with other endings, and "
    "samples of a series, one by one";

/// True if a name has one of the endings that the file dialog offers for snapshots, or a framework's ending.
bool has_snapshot_ending(const std::string& name);

/// True if `file` is a placeholder for a folder on another machine that could not be listed.
inline bool is_unlisted_folder(const FleetFile& file) { return file.remote && file.remote->name.empty(); }

/// Finds the files of a fleet: the named files, and all files below the named folders whose names have a snapshot's ending.
/// In folders, skips hidden files, `left_out`, fleet databases and the files for which is_no_rank() is true. Sorted by name,
/// with numbers in names compared by value. Each file gets a rank from its name, see rank_in_path(), or else an unused
/// number in the order of names. A folder on another machine is listed over the connection that start_fetch() opened. Fails
/// only if stopped. O(entries of the folders).
Result<std::vector<FleetFile>> find_fleet_files(std::span<const std::string> paths, const std::string& left_out,
                                                Progress& progress);

}  // namespace snapviewer
