#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/base/result.h"
#include "core/fleet/fleet.h"

namespace snapviewer::fleet {

/// The location of a file in a folder on another machine.
struct RemotePlace {
    std::string folder;           ///< the folder as the user named it, such as "node7:/runs/oom/"
    std::string name;             ///< path of the file below the folder
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

/// Message for a folder without snapshots.
inline constexpr const char* k_no_fleet_files =
    "holds no files with the endings of snapshots (.pickle, .pkl, .json, .gz, ...); name files with other endings, and "
    "samples of a series, one by one";

/// True if a name has one of the endings that the file dialog offers for snapshots, or a framework's ending.
bool has_snapshot_ending(const std::string& name);

/// True if `file` is a placeholder for a folder on another machine that could not be listed.
inline bool is_unlisted_folder(const FleetFile& file) { return file.remote && file.remote->name.empty(); }

/// Finds the files of a fleet: the named files, and all files below the named folders whose names have a snapshot's ending.
/// In folders, skips hidden files, `left_out`, fleet databases and the files for which is_not_of_rank() is true. Sorted by
/// name, with numbers in names compared by value. Each file gets a rank from its name, see rank_in_path(), or else an unused
/// number in the order of names. A folder on another machine is listed over the connection that start_fetch() opened. Fails
/// only if stopped. O(entries of the folders).
Result<std::vector<FleetFile>> find_fleet_files(std::span<const std::string> paths, const std::string& left_out,
                                                Progress& progress);

/// Reads one snapshot and keeps a few kilobytes for each of its devices. Throws only stopped(): the summary of a file that
/// cannot be read contains the error. Takes as long as opening the file and finding its training steps. Thread-safe.
FileSummary summarise_file(const FleetFile& file, const SummaryOptions& options, Progress& progress);

/// The summary of a file that cannot be read, with the reason.
FileSummary unreadable_file(const FleetFile& file, const std::string& why);

/// Receives the summary of a file; `file` is its index in the list of all files.
using TakeSummary = std::function<Status(std::size_t file, FileSummary summary)>;

/// True if the name of a file ends like that of a compressed file, as `.gz`.
bool is_packed(const std::filesystem::path& path);

/// Estimates the memory that reading a file needs, in bytes. Most files take a third of the estimate.
std::uint64_t estimate_memory_bytes(const std::filesystem::path& path, std::uint64_t file_bytes);

/// Reads many files in parallel, one thread per processor, and passes each summary to `take` on the calling thread, in the
/// order of `files`.
///
/// Memory: only summaries are kept. A file is started only while the estimates of the files being read fit into three
/// quarters of the available memory, or if no other file is being read. So the peak is that of the largest files,
/// independent of their number. A file that runs out of memory nevertheless is read again, alone, after all other local
/// files, and passed on then. Files in folders of other machines come last, one at a time, so that at most one of them
/// occupies local storage.
///
/// Fails if stopped, or if `take` fails, which ends the reading. A file that cannot be read is no failure: its summary
/// contains the error. `progress` counts files.
Status read_fleet(std::span<const FleetFile> files, const SummaryOptions& options, Progress& progress,
                  const TakeSummary& take);

/// All rows of a fleet and its findings as JSON, for scripts; docs/fleets.md describes the keys.
nlohmann::ordered_json fleet_json(const Fleet& fleet);

/// The facts known of the files before they are read, with the columns of the table `ranks`. For scripts that distribute the
/// files over machines.
nlohmann::ordered_json fleet_files_json(std::span<const FleetFile> files);

/// One line of the text report.
struct FleetLine {
    /// Indentation level: 0 for a statement, 1 for a rank or stack that it lists, 2 for the stacks that cause a difference.
    std::size_t depth = 0;
    std::string text;              ///< One line, without control characters for terminals; empty between two sections.
    const RankRow* row = nullptr;  ///< The rank that the line is about, or nullptr; points into `fleet`.
};

/// The text report, without ordinary ranks: the median, the ranks far from it and the stacks that cause this, growth, ranks
/// that ran out of memory, and unreadable files. Lists at most 20 lines of each kind.
std::vector<FleetLine> fleet_lines(const Fleet& fleet);
/// Joins the lines of the report into one text.
std::string fleet_text(const Fleet& fleet);

}  // namespace snapviewer::fleet
