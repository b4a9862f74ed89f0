#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/features/files/files_on_disk.h"
#include "app/features/fleet/fleet_rows.h"
#include "app/ui/disk_watch.h"
#include "core/analysis/compare/curves.h"
#include "core/fleet/fleet_reader.h"

namespace snapviewer {

/// The stamps of a fleet's files, by path.
using FleetStamps = std::map<std::string, FileStamps>;
/// The stamps of one file: from the disk, or from the listing of a remote machine.
FileStamps stamps_of(const fleet::FleetFile& file);
/// The current stamps of all files under the paths of a fleet. One access per folder and file. nullopt if a remote machine
/// does not answer.
std::optional<FleetStamps> read_fleet_stamps(const std::vector<std::string>& paths);

/// Free memory required before a file that ran out of memory is read again: its estimated need, or a quarter more than was
/// available at the first attempt, whichever is larger.
std::uint64_t awaited_memory_bytes(std::uint64_t estimated_bytes, std::uint64_t available_bytes);

/// Marks files as changed if there is now enough memory to read them, by removing their stamps. `awaited` is the required
/// free memory in bytes, by path.
void mark_awaited(FleetStamps& stamps, const std::map<std::string, std::uint64_t>& awaited, std::uint64_t available_bytes);

/// Detects files on the disk that differ from those that were read.
using FleetChangeDetector = FolderChanges<FileStamps>;

// Background work of the fleet window.

/// Reads a fleet and keeps the result: the files under its paths, and their summaries. A file is only read again if it has
/// changed, so reading can be stopped, resumed, and repeated when new files appear.
class FleetReading {
public:
    explicit FleetReading(std::vector<std::string> paths) : paths_(std::move(paths)) {}

    /// Reads the files that have not been read yet. Fails if it is stopped, or if there is no file. An unreadable file
    /// becomes a row with the reason. Any thread, but only one call at a time.
    Status read(Progress& progress);

    /// The data that has been read so far, updated a few times per second; null before the first update. Thread-safe.
    std::shared_ptr<const ShownFleet> shown() const;
    std::size_t files() const { return files_; }      ///< number of files; 0 until they have been listed
    std::size_t files_read() const { return read_; }  ///< number of files that have been read, including damaged ones
    const std::vector<std::string>& paths() const { return paths_; }
    /// The stamps of the files, taken before they were read. Must not be called while files are being read.
    FleetStamps stamps() const;
    /// Files that could not be read because memory ran out, with the free memory in bytes above which they are read again.
    /// Must not be called while files are being read.
    std::map<std::string, std::uint64_t> awaited() const;

private:
    /// A file that was read, and the rank and run that it was read as.
    struct KnownFile {
        FileStamps stamps;
        std::uint32_t rank = 0;
        std::string run;
        std::optional<std::uint64_t> awaited_bytes;  ///< free memory required for the next attempt, if memory ran out
        bool is_listed = false;                      ///< true if a remote machine listed the file and reports its changes
    };
    using FoundFiles = std::vector<std::pair<fleet::FleetFile, KnownFile>>;
    void forget_changed(const FoundFiles& found);
    Status read_fresh(const FoundFiles& found, Progress& progress);
    void show();

    const std::vector<std::string> paths_;
    fleet::Fleet fleet_;                      ///< the files that were read; used only by the reading thread, like `known_`
    std::map<std::string, KnownFile> known_;  ///< files that were read, by path
    std::atomic<std::size_t> files_ = 0;
    std::atomic<std::size_t> read_ = 0;
    mutable std::mutex mutex_;
    std::shared_ptr<const ShownFleet> shown_;  ///< guarded by `mutex_`
};

/// Reads the totals of a rank from its file and reduces them to a few thousand points. `file` is its path on the disk. If
/// the file is missing, the totals come from one of the fleet `databases`.
Result<std::shared_ptr<const compare::ReducedTotals>> read_totals(const RankPlace& rank, const std::string& file,
                                                                  const std::vector<std::string>& databases,
                                                                  Progress& progress);

}  // namespace snapviewer
