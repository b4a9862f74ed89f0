#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/fleet/fleet.h"
#include "core/fleet/rank_name.h"

namespace snapviewer {

/// Where a file of a folder on another machine lies.
struct RemotePlace {
    std::string folder;           ///< as it was given: "node7:/runs/oom/"
    std::string name;             ///< below it
    std::int64_t modified_s = 0;  ///< by that machine's clock
};

/// A file of a fleet, and what is known of it before it is read.
struct FleetFile {
    std::string path;
    std::string run;
    std::uint64_t file_bytes = 0;
    RankName name = {};  ///< the rank is always there: from the order of names if nothing else tells
    bool is_fleet_database = false;
    std::string error = {};                  ///< why it cannot be read, where that is known before
    std::optional<RemotePlace> remote = {};  ///< where it was listed in a folder of another machine
};

/// Reads one snapshot and keeps a few kilobytes of each of its devices; nothing else of it is in memory afterwards. Throws
/// only stopped(): a file that cannot be read is a row that says why. Takes as long as opening the file and finding its
/// training steps. Any thread.
FileSummary summarise_file(const FleetFile& file, const SummaryOptions& options, Progress& progress);

/// Of a file that cannot be read, and why.
FileSummary unreadable_file(const FleetFile& file, const std::string& why);

}  // namespace snapviewer
