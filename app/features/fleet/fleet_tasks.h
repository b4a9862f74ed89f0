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

/// What the window of a fleet has done on threads of their own.
namespace snapviewer {

/// A fleet while it is read, and after: what is on the disk under its paths, and what is known of it. What is read already
/// is read anew only when it has changed, so reading may be stopped, gone on with, and repeated when files have come.
class FleetReading {
public:
    explicit FleetReading(std::vector<std::string> paths) : paths_(std::move(paths)) {}

    /// Reads what is not known yet. Fails when stopped, and where there is no file; one that cannot be read is a row that
    /// says why. One thread at a time, any.
    Status read(Progress& progress);

    /// All that has been read, renewed a few times a second; null before anything was. Any thread.
    std::shared_ptr<const ShownFleet> shown() const;
    std::size_t files() const { return files_; }      ///< how many there are; 0 until they are found
    std::size_t files_read() const { return read_; }  ///< how many of them have been, damaged ones too
    const std::vector<std::string>& paths() const { return paths_; }
    /// What the files that were read were like before that. Only while nobody reads.
    FleetStamps stamps() const;
    /// Those that lacked memory, and with more than how many bytes of it they are read again. Only while nobody reads.
    std::map<std::string, std::uint64_t> awaited() const;

private:
    /// A file that was read, and as what.
    struct KnownFile {
        FileStamps stamps;
        std::uint32_t rank = 0;
        std::string run;
        std::optional<std::uint64_t> awaited_bytes;  ///< of memory, where it could not be read for want of it
        bool is_listed = false;                      ///< by another machine, which tells when it changes
    };
    using FoundFiles = std::vector<std::pair<FleetFile, KnownFile>>;
    void forget_changed(const FoundFiles& found);
    Status read_fresh(const FoundFiles& found, Progress& progress);
    void show();

    const std::vector<std::string> paths_;
    Fleet fleet_;                             ///< of whoever reads, as is what follows
    std::map<std::string, KnownFile> known_;  ///< by path
    std::atomic<std::size_t> files_ = 0;
    std::atomic<std::size_t> read_ = 0;
    mutable std::mutex mutex_;
    std::shared_ptr<const ShownFleet> shown_;  ///< guarded by `mutex_`
};

Job<Status>::Work make_fleet_job(std::shared_ptr<FleetReading> reading);

/// What the curve of a rank is made from.
struct RankTotals {
    RankPlace rank;
    Result<std::shared_ptr<const ReducedTotals>> totals;
};

/// Opens the file of a rank, `file` as it is on the disk, of which a few thousand numbers stay; where it is gone, what one
/// of `databases` keeps of it.
Job<RankTotals>::Work make_totals_job(RankPlace rank, std::string file, std::vector<std::string> databases);

}  // namespace snapviewer
