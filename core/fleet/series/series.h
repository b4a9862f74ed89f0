#pragma once

#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/analysis/growth/growth.h"
#include "core/base/context.h"
#include "core/base/result.h"
#include "core/sqlite/sqlite_file.h"
#include "core/trace/snapshot.h"

/// Memory over hours, computed from many snapshots of the same ranks that need not contain events. docs/long-jobs.md has the
/// rules.
namespace snapviewer::series {

/// The source of a sample's time.
enum class SampleTime : std::uint8_t {
    recorder,  ///< the time in the facts that the recorder wrote beside the snapshot
    file,      ///< the modification time of the snapshot file
};

const char* sample_time_name(SampleTime source);  ///< Returns "recorder" or "file".

/// A memory pool of the allocator: the small or large segments of the default pool or of a private pool.
struct SeriesPool {
    std::int64_t owner = 0, id = 0;  ///< Pool id as in the snapshot; (0, 0) is the default pool.
    bool is_small = false;
    auto operator<=>(const SeriesPool&) const = default;
};

/// The sum of all private pools of a sample beyond its 256 largest pools.
inline constexpr SeriesPool k_other_pools{-1, -1, false};

/// Returns "large", "small", "private (0, 3) large" or "other private pools".
std::string pool_name(const SeriesPool& pool);

/// The contents of a pool in one sample.
struct SamplePool {
    SeriesPool pool;
    std::uint64_t segments = 0;
    std::uint64_t reserved_bytes = 0;
    std::uint64_t allocated_bytes = 0;
    std::uint64_t active_bytes = 0;            ///< allocated bytes, plus freed blocks that still wait for another stream
    std::uint64_t largest_inactive_bytes = 0;  ///< the largest free block of the pool
};

/// The allocated blocks of one size class in one sample. The class contains sizes from 2^`exponent` bytes to less than twice
/// that.
struct SizeUse {
    std::uint16_t pool = 0;  ///< index into SeriesSample::pools
    std::uint8_t exponent = 0;
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;  ///< Sum of the block sizes, rounded up as the allocator does.
};

/// The file of a sample or dump, and the time and training step at which it was written.
struct SeriesMoment {
    std::string file;
    std::uint64_t file_bytes = 0;
    std::int64_t time_us = k_no_time;
    SampleTime time_from = SampleTime::file;
    std::optional<std::int64_t> step;
};

/// The state of one device in one snapshot. Takes a few hundred bytes.
struct SeriesSample : SeriesMoment {
    std::optional<std::uint64_t> number;  ///< Number of the sample, from its file name.
    std::optional<std::int64_t> pid;
    std::uint64_t segments = 0, expandable_segments = 0, blocks = 0;
    std::uint64_t reserved_bytes = 0, expandable_bytes = 0, allocated_bytes = 0, active_bytes = 0;
    /// Bytes that the program requested for the active blocks; nullopt if the snapshot does not record them.
    std::optional<std::uint64_t> requested_bytes;
    std::optional<std::uint64_t> device_total_bytes, device_used_bytes;  ///< memory of the device as the driver reports it
    std::optional<std::uint64_t> other_processes_bytes;
    std::vector<SamplePool> pools;  ///< pools, in the order of SeriesPool
    std::vector<SizeUse> sizes;     ///< size classes, sorted by pool and exponent

    std::uint64_t idle_bytes() const { return reserved_bytes - std::min(allocated_bytes, reserved_bytes); }
    /// Bytes in use on the device that this process's allocator did not reserve: the CUDA context, NCCL, other processes.
    /// nullopt if the driver's figures are unknown.
    std::optional<std::uint64_t> outside_bytes() const;
};

/// The key by which the samples of a rank are sorted.
enum class SampleOrder : std::uint8_t { time, number };

/// The samples of one device of a rank, oldest first.
struct SeriesLine {
    std::int64_t rank = 0;
    std::int64_t device = 0;
    std::string host;  ///< Host of the newest sample; empty if unknown.
    SampleOrder order = SampleOrder::time;
    bool has_times = false;  ///< True if the times of the samples ascend and are not all equal.
    std::vector<SeriesSample> samples;
};

/// A full snapshot that was written during the series, for example on an out-of-memory error.
struct SeriesDump : SeriesMoment {
    std::int64_t rank = 0;
    std::int64_t device = 0;
    std::string host;
    /// Reason why the snapshot was written: "oom", "signal", "time" or "end" from a recorder; "events" for any other file
    /// with events.
    std::string why;
    std::optional<std::uint64_t> allocated_bytes, reserved_bytes, device_total_bytes;
};

/// A file that could not be read, or not completely.
struct SeriesFailure {
    std::string file;
    std::string error;
};

/// All samples and dumps of a folder.
struct SampleSeries {
    std::vector<SeriesLine> lines;  ///< lines, sorted by rank and device
    std::vector<SeriesDump> dumps;  ///< dumps, sorted by time
    std::vector<SeriesFailure> failed;

    std::size_t sample_count() const;
    /// Total memory of the device of `line`, from the newest sample or dump that states it; nullopt if none does.
    std::optional<std::uint64_t> device_total_bytes(const SeriesLine& line) const;
};

/// The kinds of memory that are checked for growth.
enum class GrowingKind : std::uint8_t {
    allocated,   ///< all allocated memory of a device
    pool,        ///< the allocated memory of one pool
    size_class,  ///< the blocks of one size class in one pool
    idle,        ///< Reserved but not allocated memory; its growth is fragmentation.
};

const char* growing_kind_name(GrowingKind kind);  ///< Returns "allocated", "pool", "size_class" or "idle".

/// A part of a device's memory that is checked for growth.
struct GrowingPart {
    GrowingKind kind = GrowingKind::allocated;
    SeriesPool pool = {};       ///< The pool; set if `kind` is pool or size_class.
    std::uint8_t exponent = 0;  ///< The size class, like SizeUse::exponent; set if `kind` is size_class.
    auto operator<=>(const GrowingPart&) const = default;
};

/// Growth of one device of a rank that lasts over the whole series.
struct SeriesGrowth {
    std::int64_t rank = 0;
    std::int64_t device = 0;
    GrowingPart part = {};
    double bytes_per_sample = 0;
    std::optional<double> bytes_per_hour;  ///< growth per hour; nullopt if the times are unknown
    /// Growth per training step; nullopt unless the steps of the samples are known and increase.
    std::optional<double> bytes_per_step;
    std::uint64_t from_bytes = 0, to_bytes = 0;  ///< minimum of the first and of the last eighth of the samples
    /// Time at which the device is full at this rate; set only for all allocated memory.
    std::optional<std::int64_t> full_time_us;
};

/// Growth of device memory outside this process's allocator.
struct OutsideGrowth {
    std::int64_t rank = 0;
    std::int64_t device = 0;
    /// True for the memory of other processes, false for all memory that the allocator did not reserve.
    bool is_of_other_processes = false;
    std::uint64_t from_bytes = 0, to_bytes = 0;
    std::optional<std::int64_t> since_us;  ///< Time after which the memory stays above the mean of from_bytes and to_bytes.
};

/// A period without samples.
struct SeriesGap {
    std::int64_t rank = 0;
    std::int64_t from_us = 0, to_us = 0;
    std::int64_t usual_us = 0;  ///< median interval between two samples of this rank
};

/// A rank whose last sample is earlier than the last sample of other ranks.
struct EarlyEnd {
    std::int64_t rank = 0;
    std::string host;
    std::int64_t last_us = 0;
    std::int64_t before_us = 0;  ///< Microseconds between the rank's last sample and the last sample of all ranks.
};

/// The start of a new process for a rank.
struct SeriesRestart {
    std::int64_t rank = 0;
    std::int64_t time_us = 0;  ///< time of the new process's first sample
};

/// Everything notable about a series.
struct SeriesFindings {
    std::vector<SeriesGrowth> growing;  ///< Growth, sorted by kind, then by rate, fastest first.
    std::vector<OutsideGrowth> outside;
    std::vector<SeriesGap> gaps;          ///< gaps, sorted by time
    std::vector<EarlyEnd> ended;          ///< early ends, the earliest first
    std::vector<SeriesRestart> restarts;  ///< restarts, sorted by rank and time
};

/// Finds growth, gaps, early ends and restarts by the rules of docs/long-jobs.md. O(samples and their size classes).
SeriesFindings find_in_series(const SampleSeries& series);

/// The median interval between two samples, in microseconds; nullopt for fewer than two samples.
std::optional<std::int64_t> usual_interval_us(const SeriesLine& line);

/// The findings and the ranks of a series as JSON, for scripts. docs/long-jobs.md describes the keys.
nlohmann::ordered_json series_json(const SampleSeries& series, const SeriesFindings& findings);

/// Descriptions of all tables of a series database.
std::span<const sqlite::TableDoc> series_tables();
/// Writes a series into a new SQLite database. The file appears at `path` only once it is complete.
Status write_series_database(const std::string& path, const SampleSeries& series, const SeriesFindings& findings,
                             Progress& progress);

/// One line of the text report.
struct SeriesLineText {
    std::size_t depth = 0;  ///< Indentation level: 0 for a statement, 1 or 2 for its details.
    std::string text;       ///< text of the line, without control characters for terminals
    std::string file;       ///< The snapshot that the line is about; empty if it is about none.
};

/// The output for which the lines are made.
enum class SeriesReader : std::uint8_t {
    terminal,  ///< Text for a terminal: adds a table by rank and prints whole paths.
    window,    ///< Text for the window, which shows charts and opens files itself: prints only the names of files.
};

/// The text report: growth, gaps, ranks that end early, and snapshots to open. Lists at most 20 lines of each kind.
std::vector<SeriesLineText> series_lines(const SampleSeries& series, const SeriesFindings& findings, SeriesReader reader);
/// Joins the lines of the terminal report into one text.
std::string series_text(const SampleSeries& series, const SeriesFindings& findings);

}  // namespace snapviewer::series
