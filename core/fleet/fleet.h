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

/// One device of one rank, or a file that could not be read. Bytes are as requested, unless reserved. What the file does not
/// tell is empty.
struct RankRow {
    std::string run;  ///< distinguishes several snapshots of the same rank
    std::int64_t rank = 0;
    std::string host;
    std::optional<std::int64_t> device;
    std::string file;
    std::uint64_t file_bytes = 0;
    std::uint64_t events = 0;
    std::optional<std::uint64_t> peak_bytes;  ///< none of a file that could not be read
    std::optional<std::uint64_t> peak_step;   ///< on the axis of steps
    std::optional<std::int64_t> peak_time_us;
    std::optional<std::uint64_t> reserved_peak_bytes;
    std::optional<std::uint64_t> capacity_bytes;  ///< of the device, known where it ran out
    std::string oom_cause;                        ///< of the last time that memory ran out: oom_cause_name()
    bool wrapped = false;                         ///< the recording ran out of room
    std::string settings_json;                    ///< what the file says at its top level, as an object
    std::string error;                            ///< why the file could not be read
    RankSource rank_from = RankSource::order;
};

/// The bytes of a stack or module at the peak; the key of a module is one of FileSummary::modules.
struct PeakStack {
    std::uint64_t stack_key = 0;
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;  ///< of allocations
};

/// The bytes of a stack in one complete training step.
struct StepStack {
    std::int64_t training_step = 0;  ///< as the profiler numbers it, else counted from 0 within the file
    std::uint64_t stack_key = 0;
    std::uint64_t allocated_bytes = 0;
    std::uint64_t left_bytes = 0;  ///< of those what outlives the last complete step
};

/// A stack that grew from step to step, as GrowthRow.
struct GrownStack {
    std::uint64_t stack_key = 0;
    std::string source;
    std::string state;  ///< growth_state_name()
    double slope = 0;   ///< bytes a step
    std::int64_t grown_bytes = 0;
};

/// The highest moment of a stretch of a recording.
struct HighestTotal {
    std::uint64_t step = 0;  ///< on the axis of steps
    std::optional<std::int64_t> time_us;
    std::uint64_t allocated_bytes = 0;
    std::optional<std::uint64_t> reserved_bytes;  ///< at that moment
    std::optional<std::int64_t> training_step;    ///< as StepStack has it; none outside of complete ones
};

/// The parts of a summary besides ranks and their peaks.
struct SummaryOptions {
    bool step_stacks = false;
    bool totals = false;
};

/// The summary of one device of a rank.
struct RankSummary {
    RankRow row;
    std::vector<PeakStack> peak_stacks;   ///< largest first
    std::vector<PeakStack> peak_modules;  ///< the same of what the program names, without the modules within each
    std::vector<StepStack> step_stacks;   ///< by step and key; only where they were asked for
    std::vector<GrownStack> growth;
    std::vector<HighestTotal> totals;  ///< by step; only where they were asked for
};

/// A stack in words.
struct StackWords {
    std::string text;       ///< its frames, a line each, innermost first
    std::string top_frame;  ///< the source line that represents the stack
};

/// The summary of one file.
struct FileSummary {
    std::vector<RankSummary> ranks;                        ///< one that says why, if it could not be read
    std::unordered_map<std::uint64_t, StackWords> stacks;  ///< those that the ranks speak of; 0 is none of them
    std::unordered_map<std::uint64_t, std::string> modules;
    bool lacked_memory = false;      ///< it could not be read for that alone, and may be later
    bool lacked_connection = false;  ///< reading failed for lack of a connection
};

/// The snapshots of one rank.
struct RankDumps {
    std::size_t runs = 0;
    std::size_t devices = 0;  ///< of the run with most
    /// Several, of one device, whose peaks are at different times.
    bool follow_in_time = false;
};

/// A rank that is far from the others.
struct FleetOutlier {
    const RankRow* row = nullptr;
    double delta_bytes = 0;  ///< to the median
    struct Stack {
        std::uint64_t stack_key = 0;
        std::uint64_t bytes = 0;
        std::uint64_t median_bytes = 0;  ///< of the rank whose peak is nearest to the median
    };
    std::vector<Stack> stacks;   ///< those that make the difference, the largest first
    std::vector<Stack> modules;  ///< the same of modules, where the program names them
};

/// A stack that leaks, on some ranks or all.
struct FleetGrowth {
    std::uint64_t stack_key = 0;
    std::string source;
    std::size_t ranks = 0;  ///< how many
    double slope = 0;       ///< bytes a step, the median of those ranks
};

/// The key of a module path, equal on every rank.
std::uint64_t module_key(std::string_view path);

/// Many ranks, a few kilobytes each. One thread at a time.
class Fleet {
public:
    /// Makes the ranks' place (run, rank, device) their own, by another name of the run for what comes later; the caller
    /// sees the names in `file`.
    void add(FileSummary& file);
    /// Forgets all ranks of a file, which may have been written anew. O(ranks).
    void remove(const std::string& file);

    /// All rows, sorted by run, rank and device.
    std::vector<const RankRow*> ranks() const;
    /// How many of them could be read.
    std::size_t read_count() const { return read_count_; }
    /// The dumps of each rank that were read.
    std::map<std::int64_t, RankDumps> dumps() const;
    const std::string& top_frame(std::uint64_t stack_key) const;
    const std::string& module_path(std::uint64_t key) const;

    /// The median over all peaks that could be read; nullopt if there are none.
    std::optional<double> median_peak_bytes() const;
    /// The median of how far the peaks are from the median, at least 1 % of it.
    double deviation_bytes() const;
    /// More than three deviations from the median; the furthest first.
    std::vector<FleetOutlier> outliers() const;
    /// Growing stacks, those with the largest sum over all ranks first.
    std::vector<FleetGrowth> growing() const;

private:
    struct Rank {
        RankRow row;
        std::vector<PeakStack> peak_stacks;
        std::vector<PeakStack> peak_modules;
        std::vector<GrownStack> growth;
    };
    std::vector<const Rank*> sorted() const;
    std::vector<double> peaks() const;

    std::vector<Rank> ranks_;
    using Place = std::tuple<std::string, std::int64_t, std::int64_t>;  ///< run, rank, device
    std::set<Place> places_;
    std::map<Place, int> numbers_;  ///< up to which those of one place are numbered
    std::unordered_map<std::uint64_t, std::string> top_frames_;
    std::unordered_map<std::uint64_t, std::string> module_paths_;
    std::size_t read_count_ = 0;
};

}  // namespace snapviewer
