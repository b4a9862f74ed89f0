#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
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
    Curve(std::string name, std::string doc, Unit unit, std::vector<AxisPlace> places, std::vector<double> values);

    const std::string& name() const { return name_; }
    const std::string& doc() const { return doc_; }  ///< a sentence for the tooltip of the legend
    Unit unit() const { return unit_; }
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
    std::vector<AxisPlace> places_;
    std::vector<double> values_;
    std::vector<std::vector<ValueSpan>> pyramid_;
    double lowest_ = 0;
    double highest_ = 0;
};

/// A horizontal line across the picture, such as the device's capacity.
struct Level {
    std::string name;
    std::string doc;
    double bytes = 0;
};

/// A moment worth finding.
struct Marker {
    enum class Kind : std::uint8_t { peak, oom, snapshot, annotate };
    Kind kind = Kind::peak;
    AxisPlace place;
    std::string label;                                       ///< "out of memory: 2.0 GiB requested"
    std::vector<std::pair<std::string, std::string>> facts;  ///< what a tooltip and the details say
    EventId event;                                           ///< none() where no event stands behind it
};

/// A named stretch of the picture. An end that the recording does not hold is the picture's edge.
struct Band {
    std::string name;
    AxisPlace from;
    AxisPlace to;
    std::uint32_t level = 0;  ///< 0 is the outermost; bands of one level do not overlap
    bool open_start = false;
    bool open_end = false;
};

/// A row of bands below the picture.
struct BandTrack {
    std::string name;
    std::vector<Band> bands;  ///< by start, outer ones first
    std::uint32_t level_count = 0;
};

/// A row of curves below the picture, all of one unit.
struct CurveTrack {
    std::string name;
    std::vector<Curve> curves;
    std::string note;  ///< shown instead of curves where there are none
};

/// The part of an allocation's life in which it was freed, but its memory still waited for another stream.
struct PendingFree {
    AllocationId id;
    AxisPlace from;
    AxisPlace to;
};

/// What is drawn over and under the allocations of one device, placed on both axes. Immutable once made.
struct Overlays {
    std::vector<Curve> curves;  ///< bytes, on the scale of the picture: allocated, active, reserved, ...
    std::vector<Level> levels;
    std::vector<Marker> markers;  ///< by place; the true peak is always one of them
    std::vector<BandTrack> band_tracks;
    std::vector<CurveTrack> curve_tracks;
    std::vector<PendingFree> pending;  ///< by start
};

/// Works out everything above from the events, annotations and tracks of a timeline's device. Fails only when stopped.
/// O(events + annotations).
Result<Overlays> make_overlays(const Timeline& timeline, Progress& progress);

}  // namespace snapviewer
