#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/query/database.h"
#include "core/timeline/view.h"
#include "core/trace/profile_data.h"

/// The data of a chart of a query result. No GUI dependencies.
namespace snapviewer::query {

/// The quantity of a numeric column, derived from its name and its source column.
enum class Quantity : std::uint8_t { number, bytes, steps, microseconds };

inline constexpr std::size_t k_max_chart_series = 6;

struct ChartPoint {
    double x = 0, y = 0;
    bool operator==(const ChartPoint&) const = default;
};

struct ChartSeries {
    std::string name;
    std::vector<ChartPoint> points;  ///< sorted by x; points with equal x keep the order of the rows
};

/// A result of two columns (x, y) or three (x, y, series), drawn as lines, or as bars if x is text or takes few values.
struct ResultChart {
    std::string why_not;  ///< why there is no chart, as a sentence; empty if there is one
    std::string x_name, y_name;
    Quantity x_counts = Quantity::number, y_counts = Quantity::number;
    bool has_bars = false;
    std::vector<std::string> bars;    ///< label of each bar position; for bars, a point's x is an index into this
    std::vector<ChartSeries> series;  ///< the series; at least one
    double x_low = 0, x_high = 0;     ///< range of x over all points
    double y_low = 0, y_high = 0;     ///< range of y over all points
    std::size_t points = 0;           ///< total number of points in all series
    std::size_t rows_without = 0;     ///< number of rows left out because x or y has no number
};

/// Builds the chart, or the reason why there is none. O(rows * log(rows)); any thread.
ResultChart make_chart(const QueryResult& result);

/// Returns why a chart cannot become a track below the picture, as a sentence; empty if it can. Its x must be steps.
std::string why_no_track(const ResultChart& chart);
/// Unit of the track made from a chart.
Unit track_unit(const ResultChart& chart);

/// Reduces a series for drawing in `columns` columns over [x_begin, x_end]. Keeps the first, the lowest, the highest and
/// the last point of each column, so that no spike is lost. O(points).
std::vector<ChartPoint> thinned(const std::vector<ChartPoint>& points, double x_begin, double x_end, std::size_t columns);

/// The points nearest to `x`, all at the same x. Empty only if there are no points. O(log(points)).
std::span<const ChartPoint> nearest_points(const std::vector<ChartPoint>& points, double x);

/// The part of the plane that the chart shows.
View chart_view(const ResultChart& chart);

/// The values of a chart at one position, as texts.
struct ChartReading {
    double x = 0;                                             ///< index of the bar, or the position of the nearest point
    std::string place;                                        ///< name of the bar, or `x` with its unit
    std::vector<std::pair<std::size_t, std::string>> values;  ///< index of each series with a point there, and its value
};
/// Reads the chart at `x`, or at the next position with a point. O(series * log(points)).
ChartReading read_chart(const ResultChart& chart, double x);

/// Formats a value with its unit: "1.5 GiB", "step 1,234", "12.3 ms", "1,234", "0.125".
std::string quantity_text(Quantity quantity, double value);
/// Returns axis ticks in the same style as other axes. Plain numbers may also be negative or fractional.
std::vector<AxisTick> quantity_ticks(Quantity quantity, double begin, double end, double length_px, double spacing_px);

}  // namespace snapviewer::query
