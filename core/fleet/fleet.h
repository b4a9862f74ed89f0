#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/fleet/rank_name.h"

namespace snapviewer {

/// The summary of one device of a rank, or of a file that could not be read. Bytes are requested bytes, except reserved
/// ones. Fields that the file does not state are empty.
struct RankRow {
    std::string run;  ///< distinguishes several snapshots of the same rank
    std::int64_t rank = 0;
    std::string host;
    std::optional<std::int64_t> device;
    std::string file;
    std::uint64_t file_bytes = 0;
    std::uint64_t events = 0;
    std::optional<std::uint64_t> peak_bytes;  ///< Peak of allocated bytes; nullopt if the file could not be read.
    std::optional<std::uint64_t> peak_step;   ///< position of the peak on the step axis
    std::optional<std::int64_t> peak_time_us;
    std::optional<std::uint64_t> reserved_peak_bytes;
    std::optional<std::uint64_t> capacity_bytes;  ///< Memory of the device; known only if it ran out of memory.
    /// Cause of the last out-of-memory error, as oom_cause_name() returns it; empty if there was none.
    std::string oom_cause;
    bool wrapped = false;       ///< The recorder's buffer was full, so that the oldest events are lost.
    std::string settings_json;  ///< The file's top-level settings as a JSON object.
    std::string error;          ///< reason why the file could not be read; else empty
    RankSource rank_from = RankSource::order;
};

/// The bytes of a stack or module at the peak. For a module, `stack_key` is a key of FileSummary::modules.
struct PeakStack {
    std::uint64_t stack_key = 0;
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;  ///< number of allocations
};

/// The bytes of a stack in one complete training step.
struct StepStack {
    /// The profiler's number of the step, or else its number within the file, counted from 0.
    std::int64_t training_step = 0;
    std::uint64_t stack_key = 0;
    std::uint64_t allocated_bytes = 0;
    std::uint64_t left_bytes = 0;  ///< The part of allocated_bytes that is still live at the end of the last complete step.
};

/// A stack whose memory grew from step to step; a short form of GrowthRow.
struct GrownStack {
    std::uint64_t stack_key = 0;
    std::string source;
    std::string state;  ///< state of the growth, as growth_state_name() returns it
    double slope = 0;   ///< growth in bytes per step
    std::int64_t grown_bytes = 0;
};

/// The highest total within one section of a recording.
struct HighestTotal {
    std::uint64_t step = 0;  ///< position on the step axis
    std::optional<std::int64_t> time_us;
    std::uint64_t allocated_bytes = 0;
    std::optional<std::uint64_t> reserved_bytes;  ///< reserved bytes at the same moment
    /// Number of the training step, as in StepStack; nullopt outside complete training steps.
    std::optional<std::int64_t> training_step;
};

/// Optional parts of a summary.
struct SummaryOptions {
    bool step_stacks = false;
    bool totals = false;
};

/// The summary of one device of a rank.
struct RankSummary {
    RankRow row;
    std::vector<PeakStack> peak_stacks;  ///< stacks at the peak, largest first
    /// Modules at the peak, largest first. The bytes of a module exclude the modules within it. Empty if the program names
    /// no modules.
    std::vector<PeakStack> peak_modules;
    /// Stacks of the training steps, sorted by step and key; filled only if SummaryOptions asks for them.
    std::vector<StepStack> step_stacks;
    std::vector<GrownStack> growth;
    std::vector<HighestTotal> totals;  ///< Curve of the totals, sorted by step; filled only if SummaryOptions asks for it.
};

/// A stack as text.
struct StackWords {
    std::string text;       ///< frames of the stack, one per line, innermost first
    std::string top_frame;  ///< source line that represents the stack
};

/// The summary of one file.
struct FileSummary {
    /// One summary per device. For a file that could not be read, one summary with the error.
    std::vector<RankSummary> ranks;
    /// The stacks that `ranks` refers to. The key 0 means "no stack" and has no entry.
    std::unordered_map<std::uint64_t, StackWords> stacks;
    std::unordered_map<std::uint64_t, std::string> modules;
    bool lacked_memory = false;      ///< Reading failed only for lack of memory, so a retry may succeed.
    bool lacked_connection = false;  ///< Reading failed because the connection was lost.
};

/// The number of snapshots of one rank.
struct RankDumps {
    std::size_t runs = 0;
    std::size_t devices = 0;  ///< number of devices in the run that has most
    /// True if several snapshots of the same device have different peak times, so that they show one process over time.
    bool follow_in_time = false;
};

/// A rank whose peak is far from the median.
struct FleetOutlier {
    const RankRow* row = nullptr;
    double delta_bytes = 0;  ///< difference between the rank's peak and the median peak
    struct Stack {
        std::uint64_t stack_key = 0;
        std::uint64_t bytes = 0;
        std::uint64_t median_bytes = 0;  ///< bytes of the stack on the rank whose peak is nearest to the median
    };
    std::vector<Stack> stacks;  ///< The stacks that cause the difference, largest first.
    /// The modules that cause the difference, largest first; empty if the program names no modules.
    std::vector<Stack> modules;
};

/// A stack that leaks on at least one rank.
struct FleetGrowth {
    std::uint64_t stack_key = 0;
    std::string source;
    std::size_t ranks = 0;  ///< number of ranks on which the stack leaks
    double slope = 0;       ///< growth in bytes per step, median over the leaking ranks
};

/// The key of a module path: a hash that is equal on every rank.
std::uint64_t module_key(std::string_view path);

/// The summaries of many ranks, a few kilobytes each. Not thread-safe.
class Fleet {
public:
    /// Adds the ranks of a file. If a (run, rank, device) exists already, renames the new row's run to keep it unique. The
    /// new names are written back to `file`.
    void add(FileSummary& file);
    /// Removes all ranks of a file, for example because it was written again. O(ranks).
    void remove(const std::string& file);

    /// All rows, sorted by run, rank and device.
    std::vector<const RankRow*> ranks() const;
    /// Number of rows whose file could be read.
    std::size_t read_count() const;
    /// Counts the readable snapshots of each rank. The key is the rank.
    std::map<std::int64_t, RankDumps> dumps() const;
    const std::string& top_frame(std::uint64_t stack_key) const;
    const std::string& module_path(std::uint64_t key) const;

    /// The median of all known peaks; nullopt if there are none.
    std::optional<double> median_peak_bytes() const;
    /// The median absolute deviation of the peaks, at least 1 % of their median.
    double deviation_bytes() const;
    /// The ranks whose peak is more than three deviations from the median, furthest first.
    std::vector<FleetOutlier> outliers() const;
    /// The stacks that leak, sorted by the sum of their growth over all ranks, largest first.
    std::vector<FleetGrowth> growing() const;

private:
    std::vector<const RankSummary*> sorted() const;
    std::vector<double> peaks() const;

    std::vector<RankSummary> ranks_;                                    ///< Without training steps and totals.
    using Place = std::tuple<std::string, std::int64_t, std::int64_t>;  ///< a device of a rank: run, rank, device
    std::set<Place> places_;
    std::map<Place, int> numbers_;  ///< The highest number appended to the run's name, for places that occur several times.
    std::unordered_map<std::uint64_t, std::string> top_frames_;
    std::unordered_map<std::uint64_t, std::string> module_paths_;
};

}  // namespace snapviewer
