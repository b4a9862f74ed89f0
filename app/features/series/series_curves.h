#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/fleet/series/series.h"

/// Data for drawing a series: a fixed number of columns over the time range that all ranks share.
namespace snapviewer {

inline constexpr std::size_t k_series_columns = 720;
/// Maximum number of lines that are drawn; growing lines take precedence.
inline constexpr std::size_t k_max_shown_lines = 64;

/// A curve with one value per column; nullopt in a column without a sample.
using SeriesCurve = std::vector<std::optional<std::uint64_t>>;

/// Curves of one device of a rank.
struct ShownSeriesLine {
    std::size_t line = 0;                             ///< index into the lines of the series
    std::string words;                                ///< display name: "rank 3", "rank 3, device 1"
    std::vector<std::optional<std::size_t>> samples;  ///< for each column, the sample with the most allocated memory
    SeriesCurve allocated, reserved;
};

/// Flag of a full snapshot.
struct ShownSeriesDump {
    double share = 0;  ///< position, as a fraction of the width
    std::string words;
    std::string file;
    std::string why;
};

/// A gap in the samples; positions are fractions of the width.
struct ShownSeriesGap {
    double begin = 0, end = 0;
};

/// A series with everything derived from it for the window. Immutable.
struct ShownSeries {
    series::SampleSeries series;
    series::SeriesFindings findings;
    std::vector<series::SeriesLineText> lines;  ///< findings as lines of text
    std::optional<std::int64_t> start_us;       ///< time of the left edge; nullopt if the x axis counts samples
    double span = 1;                            ///< width of the x axis, in microseconds or samples
    std::vector<ShownSeriesLine> ranks;         ///< curves to draw, sorted by rank; at most k_max_shown_lines
    std::vector<ShownSeriesDump> dumps;         ///< flags within the width of the picture, sorted by time
    std::vector<ShownSeriesGap> gaps;           ///< gaps of all ranks; overlapping ones are merged
    std::uint64_t most_allocated_bytes = 0;
};

ShownSeries show_series(series::SampleSeries series);

/// Layers of the stacked picture of one rank, largest total first, which is drawn at the bottom. The last layer sums all
/// that are too small for a layer of their own.
struct SeriesLayers {
    std::vector<std::string> names;
    std::vector<SeriesCurve> bytes;  ///< one curve per layer
    std::uint64_t most_bytes = 0;    ///< maximum reserved memory
};

/// Splits the memory of a rank by size class or by pool, into at most `most_layers` layers.
SeriesLayers layers_of(const ShownSeries& shown, std::size_t rank, bool by_size, std::size_t most_layers);

}  // namespace snapviewer
