#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/features/fleet/fleet_rows.h"
#include "app/features/fleet/fleet_stamps.h"
#include "core/analysis/reduced_curves.h"
#include "core/base/job.h"
#include "core/fleet/summarise.h"

/// Background work of the window of a fleet.
namespace snapviewer {

/// Reads a fleet and keeps the result: the files under its paths, and their summaries. A file is only read again if it has
/// changed, so reading can be stopped, resumed, and repeated when new files appear.
class FleetReading {
public:
    explicit FleetReading(std::vector<std::string> paths) : paths_(std::move(paths)) {}

    /// Reads the files that are not known yet. Fails if stopped, or if there is no file; an unreadable file becomes a row
    /// with the reason. Any thread, one call at a time.
    Status read(Progress& progress);

    /// All that has been read, renewed a few times a second; null before anything was. Any thread.
    std::shared_ptr<const ShownFleet> shown() const;
    std::size_t files() const { return files_; }      ///< how many there are; 0 until they are found
    std::size_t files_read() const { return read_; }  ///< how many of them have been, damaged ones too
    const std::vector<std::string>& paths() const { return paths_; }
    /// State on the disk of the files before they were read. Only while nothing is being read.
    FleetStamps stamps() const;
    /// Files that lacked memory, with the free memory above which they are read again. Only while nothing is being read.
    std::map<std::string, std::uint64_t> awaited() const;

private:
    /// A file that was read, and as what.
    struct KnownFile {
        FileStamps stamps;
        std::uint32_t rank = 0;
        std::string run;
        std::optional<std::uint64_t> awaited_bytes;  ///< of memory, where it could not be read for want of it
        bool is_listed = false;                      ///< listed by another machine, which reports changes
    };
    using FoundFiles = std::vector<std::pair<FleetFile, KnownFile>>;
    void forget_changed(const FoundFiles& found);
    Status read_fresh(const FoundFiles& found, Progress& progress);
    void show();

    const std::vector<std::string> paths_;
    Fleet fleet_;                             ///< owned by the reading thread, like the members below
    std::map<std::string, KnownFile> known_;  ///< by path
    std::atomic<std::size_t> files_ = 0;
    std::atomic<std::size_t> read_ = 0;
    mutable std::mutex mutex_;
    std::shared_ptr<const ShownFleet> shown_;  ///< guarded by `mutex_`
};

Job<Status>::Work make_fleet_job(std::shared_ptr<FleetReading> reading);

/// The data for the curve of a rank.
struct RankTotals {
    RankPlace rank;
    Result<std::shared_ptr<const ReducedTotals>> totals;
};

/// Reads the file of a rank, `file` being its path on the disk, and keeps a few thousand numbers. If the file is missing,
/// the numbers come from one of `databases`.
Job<RankTotals>::Work make_totals_job(RankPlace rank, std::string file, std::vector<std::string> databases);

}  // namespace snapviewer
