#include "core/series/series.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

namespace snapviewer {

const char* sample_time_name(SampleTime source) { return source == SampleTime::recorder ? "recorder" : "file"; }

std::string pool_name(const SeriesPool& pool) {
    if (pool == k_other_pools) return "other private pools";
    const char* const kind = pool.is_small ? "small" : "large";
    if (pool.owner == 0 && pool.id == 0) return kind;
    return fmt::format("private ({}, {}) {}", pool.owner, pool.id, kind);
}

std::optional<std::uint64_t> SeriesSample::outside_bytes() const {
    if (!device_used_bytes) return std::nullopt;
    return *device_used_bytes - std::min(*device_used_bytes, reserved_bytes);
}

std::size_t SampleSeries::sample_count() const {
    std::size_t count = 0;
    for (const SeriesLine& line : lines) count += line.samples.size();
    return count;
}

std::optional<std::uint64_t> SampleSeries::device_total_bytes(const SeriesLine& line) const {
    for (const SeriesSample& sample : std::views::reverse(line.samples)) {
        if (sample.device_total_bytes) return sample.device_total_bytes;
    }
    for (const SeriesDump& dump : std::views::reverse(dumps)) {
        if (dump.rank == line.rank && dump.device == line.device && dump.device_total_bytes) return dump.device_total_bytes;
    }
    return std::nullopt;
}

}  // namespace snapviewer
