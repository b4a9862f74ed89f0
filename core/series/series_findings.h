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

/// What may grow.
enum class GrowingKind : std::uint8_t {
    allocated,   ///< all that is allocated on a device
    pool,        ///< what is allocated in one pool
    size_class,  ///< the blocks of one size class in one pool
    idle,        ///< reserved and not allocated: the more of it, the more fragmented
};

const char* growing_kind_name(GrowingKind kind);  ///< "allocated", "pool", "size_class", "idle"

/// Growth that lasts over the whole series, of one device of a rank.
struct SeriesGrowth {
    std::int64_t rank = 0;
    std::int64_t device = 0;
    GrowingKind kind = GrowingKind::allocated;
    SeriesPool pool = {};       ///< of kinds pool and size_class
    std::uint8_t exponent = 0;  ///< of kind size_class, as SizeUse has it
    double bytes_per_sample = 0;
    std::optional<double> bytes_per_hour;        ///< where the times are known
    std::optional<double> bytes_per_step;        ///< where steps are told throughout
    std::uint64_t from_bytes = 0, to_bytes = 0;  ///< the least of the first and of the last eighth
    std::optional<std::int64_t> full_time_us;    ///< of kind allocated: when the device is full at this rate
};

/// Memory of a device that is not this process's allocator's and became more.
struct OutsideGrowth {
    std::int64_t rank = 0;
    std::int64_t device = 0;
    bool is_of_other_processes = false;  ///< else everything but what the allocator reserved
    std::uint64_t from_bytes = 0, to_bytes = 0;
    std::optional<std::int64_t> since_us;  ///< from then on it is above the middle of both
};

/// A time without samples.
struct SeriesGap {
    std::int64_t rank = 0;
    std::int64_t from_us = 0, to_us = 0;
    std::int64_t usual_us = 0;  ///< the median of the times between two samples of this rank
};

/// A rank whose samples end before those of others.
struct EarlyEnd {
    std::int64_t rank = 0;
    std::string host;
    std::int64_t last_us = 0;
    std::int64_t before_us = 0;  ///< so long before the last sample of all
};

/// A process that was not there before.
struct SeriesRestart {
    std::int64_t rank = 0;
    std::int64_t time_us = 0;  ///< of the first sample of the new one
};

/// What is worth knowing of a series.
struct SeriesFindings {
    std::vector<SeriesGrowth> growing;  ///< of each kind what grows fastest first
    std::vector<OutsideGrowth> outside;
    std::vector<SeriesGap> gaps;          ///< by time
    std::vector<EarlyEnd> ended;          ///< the earliest first
    std::vector<SeriesRestart> restarts;  ///< by rank and time
};

/// docs/long-jobs.md has the rules. O(samples and their size classes).
SeriesFindings find_in_series(const SampleSeries& series);

/// The middle one of the times between two samples, in microseconds; none of fewer than two.
std::optional<std::int64_t> usual_interval_us(const SeriesLine& line);

}  // namespace snapviewer
