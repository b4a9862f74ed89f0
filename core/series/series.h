#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/snapshot.h"

/// Memory over hours: what many snapshots without events of the same ranks say together. docs/long-jobs.md has the rules.
namespace snapviewer {

/// What told when a sample was taken.
enum class SampleTime : std::uint8_t {
    recorder,  ///< the file that the recorder wrote beside it
    file,      ///< when its own file was written
};

const char* sample_time_name(SampleTime source);  ///< "recorder", "file"

/// One of the allocator's pools: that of small or of large segments, of everybody's or of a private pool.
struct SeriesPool {
    std::int64_t owner = 0, id = 0;  ///< as the snapshot has them; (0, 0) is everybody's
    bool is_small = false;
    auto operator<=>(const SeriesPool&) const = default;
};

/// All private pools beyond the largest 256 of a sample.
inline constexpr SeriesPool k_other_pools{-1, -1, false};

/// "large", "small", "private (0, 3) large".
std::string pool_name(const SeriesPool& pool);

/// What a pool holds in one sample.
struct SamplePool {
    SeriesPool pool;
    std::uint64_t segments = 0;
    std::uint64_t reserved_bytes = 0;
    std::uint64_t allocated_bytes = 0;
    std::uint64_t active_bytes = 0;            ///< with blocks that still wait to be freed
    std::uint64_t largest_inactive_bytes = 0;  ///< of its blocks
};

/// The allocated blocks of one size class in one sample: at least 2 to the power of `exponent` bytes, and less than twice
/// that.
struct SizeUse {
    std::uint16_t pool = 0;  ///< index into the sample's pools
    std::uint8_t exponent = 0;
    std::uint64_t blocks = 0;
    std::uint64_t bytes = 0;  ///< rounded, as the allocator does
};

/// One device as one snapshot has it, some hundreds of bytes.
struct SeriesSample {
    std::string file;
    std::uint64_t file_bytes = 0;
    std::optional<std::uint64_t> number;  ///< in the name
    std::int64_t time_us = k_no_time;
    SampleTime time_from = SampleTime::file;
    std::optional<std::int64_t> step, pid;
    std::uint64_t segments = 0, expandable_segments = 0, blocks = 0;
    std::uint64_t reserved_bytes = 0, expandable_bytes = 0, allocated_bytes = 0, active_bytes = 0;
    std::optional<std::uint64_t> requested_bytes;                        ///< by the program, of what is active
    std::optional<std::uint64_t> device_total_bytes, device_used_bytes;  ///< as the driver counts them
    std::optional<std::uint64_t> other_processes_bytes;
    std::vector<SamplePool> pools;  ///< in their order
    std::vector<SizeUse> sizes;     ///< by pool and exponent

    std::uint64_t idle_bytes() const { return reserved_bytes - std::min(allocated_bytes, reserved_bytes); }
    /// In use on the device and not reserved by this process's allocator: the CUDA context, NCCL, other processes.
    std::optional<std::uint64_t> outside_bytes() const;
};

/// What the samples of a rank are in the order of.
enum class SampleOrder : std::uint8_t { time, number };

/// The samples of one device of a rank, the oldest first.
struct SeriesLine {
    std::int64_t rank = 0;
    std::int64_t device = 0;
    std::string host;  ///< of the newest sample; empty where it is not told
    SampleOrder order = SampleOrder::time;
    bool has_times = false;  ///< the times follow this order and are not all the same
    std::vector<SeriesSample> samples;
};

/// A snapshot with everything in it, written at some moment of the series.
struct SeriesDump {
    std::int64_t rank = 0;
    std::int64_t device = 0;
    std::string host;
    std::string why;  ///< "oom", "signal", "time", "end" of a recorder; "events" of a file that holds events
    std::int64_t time_us = k_no_time;
    SampleTime time_from = SampleTime::file;
    std::optional<std::int64_t> step;
    std::string file;
    std::uint64_t file_bytes = 0;
    std::optional<std::uint64_t> allocated_bytes, reserved_bytes, device_total_bytes;
};

/// A file of the folder of which nothing, or not all, is known.
struct SeriesFailure {
    std::string file;
    std::string error;
};

/// A whole folder.
struct SampleSeries {
    std::vector<SeriesLine> lines;  ///< by rank and device
    std::vector<SeriesDump> dumps;  ///< by time
    std::vector<SeriesFailure> failed;

    std::size_t sample_count() const;
    /// Of the device of a line, where any of its samples or dumps tells it.
    std::optional<std::uint64_t> device_total_bytes(const SeriesLine& line) const;
};

}  // namespace snapviewer
