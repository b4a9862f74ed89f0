#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/base/context.h"
#include "core/base/fields.h"
#include "core/base/result.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer::fleet {

/// Ending of the files in which a recorder writes its facts about a snapshot.
inline constexpr std::string_view k_about_suffix = ".about.json";

/// The source of a rank's number.
enum class RankSource : std::uint8_t { metadata, file_name, folder_name, order };

const char* rank_source_name(RankSource source);  ///< Returns "metadata", "file name", "folder name" or "order of names".
std::optional<RankSource> rank_source_named(std::string_view name);

/// The properties that the name of a file states about its writer.
struct RankName {
    std::optional<std::uint32_t> rank;
    std::optional<std::uint32_t> device;
    std::string host;                           ///< host in the name; empty if the name states none
    RankSource source = RankSource::file_name;  ///< the part of the path that `rank` comes from
    /// The part of the name before `rank`, set if `rank` is only a number at the end of the name. Numbers of files with the
    /// same part may count steps instead.
    std::optional<std::string> before_number;
    /// number of the step, from `iteration_10`, `step-10` or `epoch10` at the end of the name
    std::optional<std::uint32_t> step;
};

/// Reads `rank7`, `rank_7`, `rank-7` anywhere in the name; a number at its end, as in `snapshot_7.pickle` and `7.pickle`;
/// `rank_7` as the name of a folder around it; torchtitan's `000007_step_300` and SGLang's `...-TP-7-memory`. Ignores
/// numbers that count something else (`local_rank`, `iteration_7`).
RankName rank_in_path(const std::filesystem::path& path);

/// The part of a path that distinguishes several snapshots of the same ranks: `time3` or `signal1` of a recorder's own name,
/// the folder `iteration_100` or `step_000000000100` of torchtitan, `oom_20261126-171636` of verl, or `iteration_10` at the
/// end of the name. Empty if there is none.
std::string moment_in_path(const std::filesystem::path& path);

/// True if numbers at the ends of at least three names count steps rather than ranks: most numbers below them are missing,
/// and they are round (0, 100, 200, 1000 or 99, 199) or far apart. Numbers of ranks are consecutive, or every fourth or
/// eighth.
bool are_steps(std::vector<std::uint32_t> numbers);

/// True for a file that lies beside the snapshots of ranks but is none of them: a sample of a recorder's series, or a
/// recorder's facts about a snapshot.
bool is_not_of_rank(const std::filesystem::path& path);

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
    std::size_t devices = 0;  ///< number of devices in the run that has the most
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

    std::vector<RankSummary> ranks_;  ///< All rows. Their step_stacks and curve are not kept.
    using Place = std::tuple<std::string, std::int64_t, std::int64_t>;  ///< a device of a rank: run, rank, device
    std::set<Place> places_;
    std::map<Place, int> numbers_;  ///< The highest number appended to the run's name, for places that occur several times.
    std::unordered_map<std::uint64_t, std::string> top_frames_;
    std::unordered_map<std::uint64_t, std::string> module_paths_;
};

/// Writes the summaries of a fleet into a new SQLite database, file by file; docs/fleets.md describes the tables. The
/// database appears at its path only on commit(), complete. Not thread-safe.
class FleetDatabaseWriter {
public:
    static Result<FleetDatabaseWriter> create(const std::string& path);
    FleetDatabaseWriter(FleetDatabaseWriter&&) noexcept;
    FleetDatabaseWriter& operator=(FleetDatabaseWriter&&) = delete;
    ~FleetDatabaseWriter();

    /// Adds the ranks of a file. Call this after Fleet::add(), which makes the names of the runs unique.
    Status add(const FileSummary& file);
    Status commit();

private:
    struct Impl;
    explicit FleetDatabaseWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// True if the header of a file marks it as a fleet database. Reads only the header.
bool is_fleet_database(const std::string& path);

/// Reads all ranks of a fleet database, as one summary. The file is untrusted.
FileSummary read_fleet_database(const std::string& path, const SummaryOptions& options, Progress& progress);

/// Reads the curve of totals that a fleet database stores for one device of a rank, sorted by step. Empty if it stores none.
/// The file is untrusted. Scans all curves of the database.
Result<std::vector<HighestTotal>> read_kept_totals(const std::string& path, const std::string& file, std::int64_t rank,
                                                   std::optional<std::int64_t> device, Progress& progress);

/// The fields of the table `ranks`.
extern const Fields<RankRow> k_rank_fields;

/// Descriptions of all tables of a fleet database.
std::span<const sqlite::TableDoc> fleet_tables();

}  // namespace snapviewer::fleet
