#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/series/series.h"
#include "core/series/series_findings.h"
#include "core/series/series_report.h"

/// What the picture of a series is drawn from: columns from left to right, the time of all ranks together.
namespace snapviewer {

inline constexpr std::size_t k_series_columns = 720;
/// What grows comes first.
inline constexpr std::size_t k_most_shown_lines = 64;

/// In a column nothing where no sample is.
using SeriesCurve = std::vector<std::optional<std::uint64_t>>;

/// One device of a rank.
struct ShownSeriesLine {
    std::size_t line = 0;                             ///< of the series
    std::string words;                                ///< "rank 3", "rank 3, device 1"
    std::vector<std::optional<std::size_t>> samples;  ///< of each column the one in which most is allocated
    SeriesCurve allocated, reserved;
};

/// Where a full snapshot stands.
struct ShownSeriesDump {
    double share = 0;  ///< of the width
    std::string words;
    std::string file;
    std::string why;
};

/// A part of the width, from 0 to 1.
struct ShownSeriesGap {
    double begin = 0, end = 0;
};

/// All that the window shows of a series that was read. Does not change.
struct ShownSeries {
    SampleSeries series;
    SeriesFindings findings;
    std::vector<SeriesLineText> lines;     ///< what is told
    std::optional<std::int64_t> start_us;  ///< of the left edge; none where samples are counted instead
    double span = 1;                       ///< of the width, in microseconds or samples
    std::vector<ShownSeriesLine> ranks;    ///< no more than k_most_shown_lines, in the order of ranks
    std::vector<ShownSeriesDump> dumps;    ///< by time; those within the width
    std::vector<ShownSeriesGap> gaps;      ///< those that overlap are one
    std::uint64_t most_allocated_bytes = 0;
};

ShownSeries show_series(SampleSeries series);

/// What of one rank lies upon each other, what is most over the whole time at the bottom, and all that is small together as
/// the last.
struct SeriesLayers {
    std::vector<std::string> names;
    std::vector<SeriesCurve> bytes;  ///< of each layer
    std::uint64_t most_bytes = 0;    ///< of what is reserved
};

/// By size class, else by pool; at most so many layers.
SeriesLayers layers_of(const ShownSeries& shown, std::size_t rank, bool by_size, std::size_t most_layers);

}  // namespace snapviewer
