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

/// What a curve is, apart from its values.
struct CurveTitle {
    std::string id;    ///< what settings remember it by; may be empty in a track
    std::string name;  ///< what the legend says
    std::string doc;   ///< a sentence for the tooltip of the legend
    Unit unit = Unit::bytes;
    SeriesShape shape = SeriesShape::line;  ///< how it is drawn in a track
    CurveRole role = CurveRole::other;
};

/// A step function over a picture: a value holds until the next place. Immutable once made.
class Curve {
public:
    Curve(CurveTitle title, std::vector<AxisPlace> places, std::vector<double> values);

    const CurveTitle& title() const { return title_; }
    const std::string& name() const { return title_.name; }
    const std::string& doc() const { return title_.doc; }
    Unit unit() const { return title_.unit; }
    SeriesShape shape() const { return title_.shape; }
    CurveRole role() const { return title_.role; }
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

    CurveTitle title_;
    std::vector<AxisPlace> places_;
    std::vector<double> values_;
    std::vector<std::vector<ValueSpan>> pyramid_;
    double lowest_ = 0;
    double highest_ = 0;
};

}  // namespace snapviewer
