#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/fleet/summarise.h"

namespace snapviewer {

/// What there is to say of a folder in which there are none.
inline constexpr const char* k_no_fleet_files =
    "holds no files with the endings of snapshots (.pickle, .pkl, .json, .gz, ...); name files with other endings, and "
    "samples of a series, one by one";

/// Whether a name ends as the file dialog expects of snapshots, or as those of a framework do.
bool has_snapshot_ending(const std::string& name);

/// Whether it stands for a folder on another machine that could not be listed.
inline bool is_unlisted_folder(const FleetFile& file) { return file.remote && file.remote->name.empty(); }

/// The files of a fleet: those named, and of folders all below them whose names end as those of snapshots do, without hidden
/// ones, `left_out`, databases that a fleet was written to and what is_no_rank(). By name, numbers counting by their value;
/// a rank each, see rank_in_path(), else by their order. A folder on another machine is listed over the connection that
/// start_fetch() made. Fails only when stopped. O(entries of the folders).
Result<std::vector<FleetFile>> find_fleet_files(std::span<const std::string> paths, const std::string& left_out,
                                                Progress& progress);

}  // namespace snapviewer
