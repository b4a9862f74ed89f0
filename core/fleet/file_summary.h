#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/context.h"
#include "core/base/result.h"
#include "core/fleet/fleet.h"
#include "core/fleet/rank_name.h"

namespace snapviewer {

/// The location of a file in a folder on another machine.
struct RemotePlace {
    std::string folder;           ///< the folder as the user named it, such as "node7:/runs/oom/"
    std::string name;             ///< path below the folder
    std::int64_t modified_s = 0;  ///< modification time by that machine's clock
};

/// A file of a fleet, with the facts known before it is read.
struct FleetFile {
    std::string path;
    std::string run;
    std::uint64_t file_bytes = 0;
    /// `rank` is always set. If the file's name states no rank, it is an unused number, assigned in the order of names, or 0
    /// for dumps of one process at several steps.
    RankName name = {};
    bool is_fleet_database = false;
    std::string error = {};                  ///< Why the file cannot be read, if this is known before reading it.
    std::optional<RemotePlace> remote = {};  ///< Location of the file on another machine; nullopt for a local file.
};

/// Reads one snapshot and keeps a few kilobytes for each of its devices. Throws only stopped(): the summary of a file that
/// cannot be read contains the error. Takes as long as opening the file and finding its training steps. Thread-safe.
FileSummary summarise_file(const FleetFile& file, const SummaryOptions& options, Progress& progress);

/// The summary of a file that cannot be read, with the reason.
FileSummary unreadable_file(const FleetFile& file, const std::string& why);

}  // namespace snapviewer
