#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/trace/profile_data.h"

namespace snapviewer {

/// A position in a picture, on both axes. Between two ticks, both coordinates are interpolated.
struct AxisPlace {
    double step = 0;
    double time_us = 0;  ///< microseconds since the left edge, see Timeline::tick_times_us(); 0 if the file has no times

    double on(Axis axis) const { return axis == Axis::steps ? step : time_us; }
    bool operator==(const AxisPlace&) const = default;
};

/// The lowest and highest value of a curve in one column of pixels.
struct ValueSpan {
    double low = 0;
    double high = 0;
    bool operator==(const ValueSpan&) const = default;
};

/// The properties of a curve other than its values.
struct CurveTitle {
    std::string id;    ///< key in the settings; may be empty for a curve of a track
    std::string name;  ///< name in the legend
    std::string doc;   ///< sentence for the tooltip of the legend
    Unit unit = Unit::bytes;
    SeriesShape shape = SeriesShape::line;  ///< shape of the curve in a track
    CurveRole role = CurveRole::other;
};

/// The steps of a recorded series' points. Computed lazily, a run of points at a time, because a picture with a time axis
/// never needs them and an overview needs few of millions. Thread-safe.
class RecordedSteps {
public:
    /// Callback that writes the steps of steps.size() points, beginning with the point at `index`.
    using Find = std::function<void(std::size_t index, std::span<double> steps)>;

    RecordedSteps(std::size_t count, Find find);
    double operator[](std::size_t index) const {
        if (!is_found_[index / k_run_size].load(std::memory_order_acquire)) find_run(index / k_run_size);
        return steps_[index];
    }

private:
    static constexpr std::size_t k_run_size = 64;

    void find_run(std::size_t run) const;

    std::size_t count_ = 0;
    Find find_;
    mutable std::mutex mutex_;
    mutable std::vector<std::atomic<bool>> is_found_;  ///< one flag for each run of k_run_size points
    mutable std::unique_ptr<double[]> steps_;          ///< steps by index; allocated with the first access
};

/// A step function over a picture: a value holds until the next position. Immutable after construction.
class Curve {
public:
    Curve(CurveTitle title, std::vector<AxisPlace> places, std::vector<double> values);
    /// A curve of the totals after all ticks but the last. Shares the ticks, without a copy.
    Curve(CurveTitle title, std::shared_ptr<const Ticks> ticks);
    /// A range of a recorded series' points. Shares the series, without a copy; only the steps are computed.
    struct Recorded {
        std::shared_ptr<const Series> series;
        std::size_t first = 0;  ///< index of the first point
        std::size_t count = 0;
        std::int64_t start_us = 0;  ///< time of the left edge on the clock of the series; earlier points lie at the edge
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
    /// One coordinate of place(index).
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

    /// The value at a position on an axis; the first value if it is before the first point. 0 for an empty curve. O(log n).
    double at(Axis axis, double x) const;
    /// Divides [x0, x1) evenly into columns and fills each with the lowest and highest value there, so that no spike is lost
    /// at any zoom. Uses a pyramid of extremes: O(columns log n).
    void sample(Axis axis, double x0, double x1, std::span<ValueSpan> columns) const;

private:
    void build_pyramid();
    template <typename IsReached>
    std::size_t first_where(Axis axis, IsReached is_reached) const;
    ValueSpan extremes(std::size_t first, std::size_t last) const;

    CurveTitle title_;
    // Exactly one of three sources of points is used: ticks, a recorded series, or places and values.
    std::shared_ptr<const Ticks> ticks_;
    Recorded recorded_;
    std::vector<AxisPlace> places_;
    std::vector<double> values_;
    std::vector<std::vector<ValueSpan>> pyramid_;
    double lowest_ = 0;
    double highest_ = 0;
};

/// Maps ticks, events and times to positions on the axes of a picture. Keeps a reference to the timeline.
class AxisPlaces {
public:
    explicit AxisPlaces(const Timeline& picture) : picture_(picture) {}

    const Timeline& picture() const { return picture_; }
    AxisPlace left_edge() const { return {}; }
    AxisPlace right_edge() const { return of_tick(picture_.tick_count() - 1); }
    AxisPlace of_tick(std::uint32_t tick) const;

    /// The position of an event. An event that starts or ends an allocation lies at its tick. On the step axis, an event
    /// between two ticks is interpolated by its index; on the time axis, it has its own time. O(log ticks).
    AxisPlace of_event(std::uint32_t event) const;
    /// The position of an event, for callers that pass events in ascending order. `tick` is the caller's cursor: it must not
    /// be past the event's tick, and the call moves it forward. O(ticks passed).
    AxisPlace of_next_event(std::uint32_t event, std::uint32_t& tick) const;

    /// The position of a time on the clock of the events, in microseconds. Times outside the picture are clamped to its
    /// edges. The left edge if the picture has no times. O(log ticks).
    AxisPlace of_time(std::int64_t time_us) const;
    /// The step of the first alloc or free at or after a time, or the right edge if there is none. For two results `begin`
    /// and `end`, the allocs and frees with begin <= step < end are those between the two times. Precondition: the picture
    /// has times. O(log ticks).
    std::uint64_t step_of_next_action(std::int64_t time_us) const;

private:
    AxisPlace before_tick(std::uint32_t event, std::uint32_t tick) const;

    const Timeline& picture_;
};

/// Writes the steps that AxisPlaces::of_time() returns for `times_us`, which must be ascending, to `steps`, which has the
/// same size. The picture must have times; `start_us` is the time of its left edge. O(log ticks + ticks between the first
/// and the last time + times).
void find_steps_of_times(const Ticks& ticks, std::int64_t start_us, std::span<const std::int64_t> times_us,
                         std::span<double> steps);

}  // namespace snapviewer
