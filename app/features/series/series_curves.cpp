#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "app/features/series/series.h"
#include "core/base/text.h"

namespace snapviewer::series {
namespace {

/// Maximum time for which a sample is drawn, in usual sample intervals. A longer interval is a gap.
constexpr std::int64_t k_max_hold_intervals = 3;

/// Sets the range of the x axis: the time from the first sample to the last one, or the largest number of samples if no line
/// has times.
void set_range(ShownSeries& shown) {
    std::int64_t first_us = std::numeric_limits<std::int64_t>::max(), last_us = std::numeric_limits<std::int64_t>::min();
    std::size_t most_samples = 2;
    for (const SeriesLine& line : shown.series.lines) {
        most_samples = std::max(most_samples, line.samples.size());
        if (!line.has_times) continue;
        first_us = std::min(first_us, line.samples.front().time_us);
        last_us = std::max(last_us, line.samples.back().time_us);
    }
    if (first_us < last_us) shown.start_us = first_us;
    shown.span = first_us < last_us ? static_cast<double>(last_us) - static_cast<double>(first_us)
                                    : static_cast<double>(most_samples - 1);
}

/// The position of a time on the x axis, as a fraction of its width.
double share_of(const ShownSeries& shown, std::int64_t time_us) {
    return (static_cast<double>(time_us) - static_cast<double>(shown.start_us.value_or(0))) / shown.span;
}

/// The position of a sample on the x axis; nullopt for a line without times if other lines have times.
std::optional<double> share_of(const ShownSeries& shown, const SeriesLine& line, std::size_t sample) {
    if (!shown.start_us) return static_cast<double>(sample) / shown.span;
    return line.has_times ? std::optional(share_of(shown, line.samples[sample].time_us)) : std::nullopt;
}

std::size_t column_of(double share) {
    const double column = share * static_cast<double>(k_series_columns);
    return static_cast<std::size_t>(std::clamp(column, 0.0, static_cast<double>(k_series_columns - 1)));
}

std::string words_of(const SampleSeries& series, const SeriesLine& line) {
    const auto of_rank = [&](const SeriesLine& other) { return other.rank == line.rank; };
    const bool is_only_device = std::ranges::count_if(series.lines, of_rank) == 1;
    return is_only_device ? fmt::format("rank {}", line.rank) : fmt::format("rank {}, device {}", line.rank, line.device);
}

/// Builds the curves of a line. A sample holds until the next one, unless a gap follows.
ShownSeriesLine show_line(const ShownSeries& shown, const SeriesLine& line) {
    ShownSeriesLine found;
    found.words = words_of(shown.series, line);
    found.samples.resize(k_series_columns);
    const auto usual_us = line.has_times ? usual_interval_us(line) : std::nullopt;
    for (std::size_t i = 0; i < line.samples.size(); ++i) {
        const auto share = share_of(shown, line, i);
        if (!share) break;
        const std::size_t first = column_of(*share);
        std::size_t last = first;
        if (i + 1 < line.samples.size()) {
            const bool holds =
                !usual_us || line.samples[i + 1].time_us - line.samples[i].time_us <= k_max_hold_intervals * *usual_us;
            if (holds) last = std::max(first + 1, column_of(*share_of(shown, line, i + 1))) - 1;
        }
        for (std::size_t column = first; column <= last && column < k_series_columns; ++column) {
            auto& most = found.samples[column];
            if (!most || line.samples[*most].allocated_bytes < line.samples[i].allocated_bytes) most = i;
        }
    }
    for (const auto& sample : found.samples) {
        found.allocated.push_back(sample ? std::optional(line.samples[*sample].allocated_bytes) : std::nullopt);
        found.reserved.push_back(sample ? std::optional(line.samples[*sample].reserved_bytes) : std::nullopt);
    }
    return found;
}

/// Returns the indices of the lines to draw. If there are too many, growing lines come first, then the others in order.
std::set<std::size_t> lines_to_show(const ShownSeries& shown) {
    std::set<std::size_t> found;
    for (const SeriesGrowth& growth : shown.findings.growing) {
        const auto is_its_own = [&](const SeriesLine& line) {
            return line.rank == growth.rank && line.device == growth.device;
        };
        const auto line = std::ranges::find_if(shown.series.lines, is_its_own);
        if (found.size() < k_max_shown_lines) found.insert(static_cast<std::size_t>(line - shown.series.lines.begin()));
    }
    for (std::size_t i = 0; i < shown.series.lines.size() && found.size() < k_max_shown_lines; ++i) found.insert(i);
    return found;
}

void show_dumps(ShownSeries& shown) {
    if (!shown.start_us) return;
    for (const SeriesDump& dump : shown.series.dumps) {
        const double share = share_of(shown, dump.time_us);
        if (dump.time_us == k_no_time || share < -0.05 || share > 1.05) continue;
        shown.dumps.push_back({std::clamp(share, 0.0, 1.0),
                               fmt::format("{} of rank {}, {} UTC\n{}\nClick to open it", dump.why, dump.rank,
                                           format_wall_clock_us(dump.time_us).substr(0, 19),
                                           std::filesystem::path(dump.file).filename().string()),
                               dump.file, dump.why});
    }
}

void show_gaps(ShownSeries& shown) {
    for (const SeriesGap& gap : shown.findings.gaps) {
        const double begin = share_of(shown, gap.from_us), end = share_of(shown, gap.to_us);
        if (!shown.gaps.empty() && begin < shown.gaps.back().end)
            shown.gaps.back().end = std::max(shown.gaps.back().end, end);
        else
            shown.gaps.push_back({begin, end});
    }
}

using LayerKey = std::pair<SeriesPool, int>;  ///< pool, or size class as an exponent of 2

/// Returns the bytes of one sample, split by layer.
std::map<LayerKey, std::uint64_t> parts_of(const SeriesSample& sample, bool by_size) {
    std::map<LayerKey, std::uint64_t> parts;
    if (by_size) {
        for (const SizeUse& size : sample.sizes) parts[{{}, size.exponent}] += size.bytes;
    } else {
        for (const SamplePool& use : sample.pools) parts[{use.pool, 0}] += use.allocated_bytes;
    }
    return parts;
}

std::string layer_name(const LayerKey& key, bool by_size) {
    if (!by_size) return pool_name(key.first);
    return format_bytes(std::uint64_t{1} << key.second, 0) +
           (key.second < 63 ? " to " + format_bytes(std::uint64_t{2} << key.second, 0) : "");
}

}  // namespace

ShownSeries show_series(SampleSeries series) {
    ShownSeries shown;
    shown.series = std::move(series);
    shown.findings = find_in_series(shown.series);
    shown.lines = series_lines(shown.series, shown.findings, SeriesReader::window);
    set_range(shown);
    for (const std::size_t index : lines_to_show(shown)) {
        const SeriesLine& line = shown.series.lines[index];
        shown.ranks.push_back(show_line(shown, line));
        shown.ranks.back().line = index;
        for (const SeriesSample& sample : line.samples)
            shown.most_allocated_bytes = std::max(shown.most_allocated_bytes, sample.allocated_bytes);
    }
    show_dumps(shown);
    show_gaps(shown);
    return shown;
}

SeriesLayers layers_of(const ShownSeries& shown, std::size_t rank, bool by_size, std::size_t most_layers) {
    const std::vector<SeriesSample>& samples = shown.series.lines[shown.ranks[rank].line].samples;
    std::vector<std::map<LayerKey, std::uint64_t>> columns(k_series_columns);
    std::map<LayerKey, double> all;  ///< bytes of each layer, summed over all columns
    SeriesLayers layers;
    for (std::size_t column = 0; column < k_series_columns; ++column) {
        const auto& sample = shown.ranks[rank].samples[column];
        if (!sample) continue;
        columns[column] = parts_of(samples[*sample], by_size);
        layers.most_bytes = std::max(layers.most_bytes, samples[*sample].reserved_bytes);
        for (const auto& [key, bytes] : columns[column]) all[key] += static_cast<double>(bytes);
    }
    std::vector<std::pair<double, LayerKey>> order;
    for (const auto& [key, bytes] : all) order.emplace_back(bytes, key);
    std::ranges::sort(order, std::ranges::greater());
    const std::size_t count = std::min(order.size(), most_layers);
    layers.bytes.assign(count, SeriesCurve(k_series_columns));
    for (std::size_t column = 0; column < k_series_columns; ++column) {
        if (!shown.ranks[rank].samples[column]) continue;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto part = columns[column].find(order[i].second);
            auto& bytes = layers.bytes[std::min(i, count - 1)][column];
            bytes = bytes.value_or(0) + (part == columns[column].end() ? 0 : part->second);
        }
    }
    for (std::size_t i = 0; i < count; ++i)
        layers.names.push_back(i + 1 == count && order.size() > count ? "all others" : layer_name(order[i].second, by_size));
    return layers;
}

}  // namespace snapviewer::series
