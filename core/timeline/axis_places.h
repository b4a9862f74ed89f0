#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/timeline/curve.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

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
    /// Returns the picture's edge for a time at or beyond that edge, else nullopt. The left edge if the picture has no
    /// times.
    std::optional<AxisPlace> edge_for(std::int64_t time_us) const;
    AxisPlace between_ticks(std::int64_t since_us, std::uint32_t next) const;

    const Timeline& picture_;
};

/// Writes the steps that AxisPlaces::of_time() returns for `times_us`, which must be ascending, to `steps`, which has the
/// same size. The picture must have times; `start_us` is the time of its left edge. O(log ticks + ticks between the first
/// and the last time + times).
void find_steps_of_times(const Ticks& ticks, std::int64_t start_us, std::span<const std::int64_t> times_us,
                         std::span<double> steps);

}  // namespace snapviewer
