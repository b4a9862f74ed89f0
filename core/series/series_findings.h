#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/lasting_growth.h"
#include "core/series/series.h"

namespace snapviewer {

/// The kinds of memory that are checked for growth.
enum class GrowingKind : std::uint8_t {
    allocated,   ///< all allocated memory of a device
    pool,        ///< the allocated memory of one pool
    size_class,  ///< the blocks of one size class in one pool
    idle,        ///< Reserved but not allocated memory; its growth is fragmentation.
};

const char* growing_kind_name(GrowingKind kind);  ///< Returns "allocated", "pool", "size_class" or "idle".

/// Growth of one device of a rank that lasts over the whole series.
struct SeriesGrowth {
    std::int64_t rank = 0;
    std::int64_t device = 0;
    GrowingKind kind = GrowingKind::allocated;
    SeriesPool pool = {};       ///< The pool that grows; set if `kind` is pool or size_class.
    std::uint8_t exponent = 0;  ///< The size class, like SizeUse::exponent; set if `kind` is size_class.
    double bytes_per_sample = 0;
    std::optional<double> bytes_per_hour;  ///< growth per hour; nullopt if the times are unknown
    /// Growth per training step; nullopt unless the steps of the samples are known and increase.
    std::optional<double> bytes_per_step;
    std::uint64_t from_bytes = 0, to_bytes = 0;  ///< minimum of the first and of the last eighth of the samples
    /// Time at which the device is full at this rate; set only if `kind` is allocated.
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

}  // namespace snapviewer
