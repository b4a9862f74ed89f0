#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/query/database.h"
#include "core/timeline/axis_ticks.h"
#include "core/trace/tracks.h"

/// What of a query's answer can be drawn as a chart. No GUI in here.
namespace snapviewer {

/// What the numbers of a column count, by the column's name and where it comes from.
enum class Quantity : std::uint8_t { number, bytes, steps, microseconds };

inline constexpr std::size_t k_most_chart_series = 6;

struct ChartPoint {
    double x = 0, y = 0;
    bool operator==(const ChartPoint&) const = default;
};

struct ChartSeries {
    std::string name;
    std::vector<ChartPoint> points;  ///< by x; those of one x in the order of the rows
};

/// A result of two columns (x, y) or three (x, y, series), as lines, or as bars where x is text or takes few values.
struct ResultChart {
    std::string why_not;  ///< why there is no chart, as a sentence; empty where there is one
    std::string x_name, y_name;
    Quantity x_counts = Quantity::number, y_counts = Quantity::number;
    bool has_bars = false;
    std::vector<std::string> bars;    ///< what stands at each place of bars; x is an index into it
    std::vector<ChartSeries> series;  ///< at least one
    double x_low = 0, x_high = 0;     ///< of all points
    double y_low = 0, y_high = 0;     ///< likewise
    std::size_t points = 0;           ///< of all series
    std::size_t rows_without = 0;     ///< left out: no number in x or y
};

/// Works the chart out, or why there is none. O(rows log rows); any thread.
ResultChart make_chart(const QueryResult& result);

/// Why a chart cannot be a track below the picture, as a sentence; empty where it can: its x has to be steps.
std::string why_no_track(const ResultChart& chart);
/// What a track of it has for a unit.
Unit track_unit(const ResultChart& chart);

/// What is worth drawing of a series where [x_begin, x_end] is divided into columns: of the points in each column the first,
/// the lowest, the highest and the last. No spike is lost. O(points).
std::vector<ChartPoint> thinned(const std::vector<ChartPoint>& points, double x_begin, double x_end, std::size_t columns);

/// The points of a series that are nearest to a place, as indices [first, last); none only without points. O(log points).
struct PointRange {
    std::size_t first = 0, last = 0;
};
PointRange nearest_points(const std::vector<ChartPoint>& points, double x);

/// "1.5 GiB", "step 1,234", "12.3 ms", "1,234", "0.125".
std::string quantity_text(Quantity quantity, double value);
/// Marks of an axis, as other axes have them; of plain numbers also below 0 and between whole ones.
std::vector<AxisTick> quantity_ticks(Quantity quantity, double begin, double end, double length_px, double spacing_px);

}  // namespace snapviewer
