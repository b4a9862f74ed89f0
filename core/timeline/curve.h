#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/trace/tracks.h"

namespace snapviewer {

/// One place of a picture on both of its axes. What lies between two ticks has its share of the way in both.
struct AxisPlace {
    double step = 0;
    double time_us = 0;  ///< since the left edge, as Timeline::tick_times_us(); 0 where the file has no times

    double on(Axis axis) const { return axis == Axis::steps ? step : time_us; }
    bool operator==(const AxisPlace&) const = default;
};

/// The lowest and highest value of a curve in one column of pixels.
struct ValueSpan {
    double low = 0;
    double high = 0;
    bool operator==(const ValueSpan&) const = default;
};

/// A step function over a picture: a value holds until the next place. Immutable once made.
class Curve {
public:
    Curve(std::string name, std::string doc, Unit unit, std::vector<AxisPlace> places, std::vector<double> values,
          SeriesShape shape = SeriesShape::line);

    const std::string& name() const { return name_; }
    const std::string& doc() const { return doc_; }  ///< a sentence for the tooltip of the legend
    Unit unit() const { return unit_; }
    SeriesShape shape() const { return shape_; }  ///< how it is drawn in a track
    std::span<const AxisPlace> places() const { return places_; }
    std::span<const double> values() const { return values_; }
    double lowest() const { return lowest_; }
    double highest() const { return highest_; }

    /// The value at a place of an axis; the first one before the first place. O(log n).
    double at(Axis axis, double x) const;
    /// Fills columns with what the curve does between x0 and x1, divided evenly; no spike is lost at any zoom.
    /// O(columns log n), from a pyramid of extremes.
    void sample(Axis axis, double x0, double x1, std::span<ValueSpan> columns) const;

private:
    ValueSpan extremes(std::size_t first, std::size_t last) const;

    std::string name_;
    std::string doc_;
    Unit unit_;
    SeriesShape shape_;
    std::vector<AxisPlace> places_;
    std::vector<double> values_;
    std::vector<std::vector<ValueSpan>> pyramid_;
    double lowest_ = 0;
    double highest_ = 0;
};

}  // namespace snapviewer
