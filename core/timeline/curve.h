#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
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

/// The steps of a recorded series' points, a run of them worked out when one of it is first asked for: who looks at times
/// never needs them, and a picture of all looks at few of millions. Safe to ask from many threads.
class RecordedSteps {
public:
    /// Finds the steps of as many points as there is room for, from the one with this index on.
    using Find = std::function<void(std::size_t index, std::span<double> steps)>;

    RecordedSteps(std::size_t count, Find find);
    double operator[](std::size_t index) const {
        if (!is_found_[index / k_run].load(std::memory_order_acquire)) find_run(index / k_run);
        return steps_[index];
    }

private:
    static constexpr std::size_t k_run = 64;

    void find_run(std::size_t run) const;

    std::size_t count_ = 0;
    Find find_;
    mutable std::mutex mutex_;
    mutable std::vector<std::atomic<bool>> is_found_;  ///< for each run
    mutable std::unique_ptr<double[]> steps_;          ///< once one was asked for
};

/// A step function over a picture: a value holds until the next place. Immutable once made.
class Curve {
public:
    Curve(CurveTitle title, std::vector<AxisPlace> places, std::vector<double> values);
    /// The totals after all ticks but the last, read where they are.
    Curve(CurveTitle title, std::shared_ptr<const Ticks> ticks);
    /// Points of a recorded series, read where they are, but for the steps at which they lie.
    struct Recorded {
        std::shared_ptr<const Series> series;
        std::size_t first = 0;  ///< of its points
        std::size_t count = 0;
        std::int64_t start_us = 0;  ///< the left edge on the clock of the series; a point before it lies there
        std::shared_ptr<const RecordedSteps> steps;
    };
    Curve(CurveTitle title, Recorded recorded);

    const CurveTitle& title() const { return title_; }
    const std::string& name() const { return title_.name; }
    const std::string& doc() const { return title_.doc; }
    Unit unit() const { return title_.unit; }
    SeriesShape shape() const { return title_.shape; }
    CurveRole role() const { return title_.role; }
    std::size_t size() const {
        if (ticks_) return ticks_->step.size() - 1;
        return recorded_.series ? recorded_.count : values_.size();
    }
    AxisPlace place(std::size_t index) const { return {on(Axis::steps, index), on(Axis::time, index)}; }
    /// One half of it.
    double on(Axis axis, std::size_t index) const {
        if (recorded_.series) {
            if (axis == Axis::steps) return (*recorded_.steps)[index];
            const std::int64_t time_us = recorded_.series->time_us[recorded_.first + index];
            return static_cast<double>(time_us > recorded_.start_us ? time_us - recorded_.start_us : 0);
        }
        if (!ticks_) return places_[index].on(axis);
        if (axis == Axis::steps) return static_cast<double>(ticks_->step[index]);
        return ticks_->time_us.empty() ? 0.0 : static_cast<double>(ticks_->time_us[index]);
    }
    double value(std::size_t index) const {
        if (recorded_.series) return recorded_.series->values[recorded_.first + index];
        return ticks_ ? static_cast<double>(ticks_->total_bytes[index]) : values_[index];
    }
    double lowest() const { return lowest_; }
    double highest() const { return highest_; }

    /// The value at a place of an axis; the first one before the first place. O(log n).
    double at(Axis axis, double x) const;
    /// Fills columns with what the curve does between x0 and x1, divided evenly; no spike is lost at any zoom.
    /// O(columns log n), from a pyramid of extremes.
    void sample(Axis axis, double x0, double x1, std::span<ValueSpan> columns) const;

private:
    void build_pyramid();
    template <typename IsReached>
    std::size_t first_where(Axis axis, IsReached is_reached) const;
    ValueSpan extremes(std::size_t first, std::size_t last) const;

    CurveTitle title_;
    // One of three: ticks, points of a series, or places and values of its own.
    std::shared_ptr<const Ticks> ticks_;
    Recorded recorded_;
    std::vector<AxisPlace> places_;
    std::vector<double> values_;
    std::vector<std::vector<ValueSpan>> pyramid_;
    double lowest_ = 0;
    double highest_ = 0;
};

}  // namespace snapviewer
