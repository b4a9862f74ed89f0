#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/features/files/files_on_disk.h"
#include "app/features/requests.h"
#include "app/ui/disk_watch.h"
#include "app/ui/state_parts.h"
#include "app/ui/texts.h"
#include "core/analysis/compare/curves.h"
#include "core/fleet/fleet.h"
#include "core/fleet/fleet_reader.h"

namespace snapviewer::fleet {

// The display of a fleet in the window: bars and rows for its ranks, and lines of text about it. Independent of the GUI.

RankPlace place_of(const RankRow& row);

/// A rank of a fleet, and how it differs from the other ranks.
struct ShownRank {
    RankRow row;
    std::int64_t delta_bytes = 0;  ///< difference from the median peak; 0 if the file could not be read
    bool is_outlier = false;
    std::string note;                  ///< short text about the unusual properties of the rank; usually empty
    std::string main_source;           ///< source line of the stack with the largest share of an outlier's difference
    std::vector<std::string> reasons;  ///< stacks that explain an outlier's difference, one per line, largest share first
    std::string search_text;           ///< text that the filter searches: all texts of the rank in lower case

    bool is_readable() const { return row.error.empty(); }
};

/// Lines of text about a rank: its file, its numbers and its unusual properties.
std::string rank_facts(const ShownRank& rank);

/// A line of the summary of a fleet.
struct ShownLine {
    std::size_t depth = 0;            ///< indentation level, see FleetLine
    std::string text;                 ///< text of the line; paths omit the common folder of all ranks
    std::optional<std::size_t> rank;  ///< index into ShownFleet::ranks, if the line is about a rank
};

/// Display data of the part of a fleet that has been read so far. Immutable.
struct ShownFleet {
    std::vector<ShownRank> ranks;  ///< ranks in the order of Fleet::ranks()
    std::vector<ShownLine> lines;  ///< summary of the fleet, see fleet_lines()
    std::vector<FleetGrowth> growing;
    std::optional<double> median_peak_bytes;
    std::uint64_t top_bytes = 0;  ///< largest number of bytes that a rank used, reserved or had as capacity
    std::size_t read_count = 0;   ///< number of ranks whose files could be read
    CharacterSet characters;      ///< characters that the texts need

    /// Index of a rank, or nullopt if the fleet no longer has it. O(ranks).
    std::optional<std::size_t> index_of(const RankPlace& place) const;
};

/// Computes the display data of a fleet. O(ranks log ranks), plus the cost of comparing their stacks.
ShownFleet show_fleet(const Fleet& fleet);

// The columns of the table of ranks, and their filter and sort order. Independent of the GUI.

enum class FleetColumn : std::uint8_t { rank, device, peak, delta, reserved, capacity, events, note, host, run, file };

struct FleetColumnInfo {
    TableColumn header;
    std::string (*shown)(const ShownRank& rank);
    /// Numeric sort key; null for a text column; numbers are aligned right.
    std::int64_t (*number)(const ShownRank& rank) = nullptr;
    const std::string& (*text)(const ShownRank& rank) = nullptr;  ///< textual sort key of a column without a number
};
/// The columns of the fleet table, indexed by FleetColumn.
std::span<const FleetColumnInfo> fleet_columns();
const FleetColumnInfo& info_of(FleetColumn column);

/// Filter and sort order of the fleet table. Differences are sorted by magnitude, ignoring their sign.
struct FleetOrder {
    FleetColumn by = FleetColumn::rank;
    bool is_descending = false;
    std::string filter;  ///< words that a row must all match: rank numbers, or parts of texts in any case
    bool operator==(const FleetOrder&) const = default;
};

/// Filters and sorts the ranks of a fleet. Returns indices of ranks. Ranks with an equal value in the sort column keep their
/// order. O(ranks log ranks).
std::vector<std::uint32_t> arrange(const ShownFleet& fleet, const FleetOrder& order);

// The files of a fleet, which are read on another thread.

/// The stamps of a fleet's files, by path.
using FleetStamps = std::map<std::string, files::FileStamps>;
/// The stamps of one file: from the disk, or from the listing of a remote machine.
files::FileStamps stamps_of(const FleetFile& file);
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
using FleetChangeDetector = FolderChanges<files::FileStamps>;

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
        files::FileStamps stamps;
        std::uint32_t rank = 0;
        std::string run;
        std::optional<std::uint64_t> awaited_bytes;  ///< free memory required for the next attempt, if memory ran out
        bool is_listed = false;                      ///< true if a remote machine listed the file and reports its changes
    };
    using FoundFiles = std::vector<std::pair<FleetFile, KnownFile>>;
    void forget_changed(const FoundFiles& found);
    Status read_fresh(const FoundFiles& found, Progress& progress);
    void show();

    const std::vector<std::string> paths_;
    Fleet fleet_;                             ///< the files that were read; used only by the reading thread, like `known_`
    std::map<std::string, KnownFile> known_;  ///< files that were read, by path
    std::atomic<std::size_t> files_ = 0;
    std::atomic<std::size_t> read_ = 0;
    mutable std::mutex mutex_;
    std::shared_ptr<const ShownFleet> shown_;  ///< guarded by `mutex_`
};

/// The memory totals of a rank, reduced to a few thousand points.
using RankTotals = std::shared_ptr<const compare::ReducedTotals>;
/// Reads the totals of a rank from its file. `file` is its path on the disk. If the file is missing, the totals come from
/// one of the fleet `databases`.
Result<RankTotals> read_totals(const RankPlace& rank, const std::string& file, const std::vector<std::string>& databases,
                               Progress& progress);

}  // namespace snapviewer::fleet
