#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/timeline/curve.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Where events and moments lie on the axes of a picture. Keeps a reference to the timeline.
class AxisPlaces {
public:
    explicit AxisPlaces(const Timeline& picture) : picture_(picture) {}

    const Timeline& picture() const { return picture_; }
    AxisPlace left_edge() const { return {}; }
    AxisPlace right_edge() const { return of_tick(picture_.tick_count() - 1); }
    AxisPlace of_tick(std::uint32_t tick) const;

    /// An event that starts or ends an allocation lies at its tick; one between two ticks has, on the step axis, its share
    /// of the way by its number, and on the time axis its own time. O(log ticks).
    AxisPlace of_event(std::uint32_t event) const;
    /// Of events in rising order, none of them before the tick that `tick` holds; moves `tick` along. O(ticks passed).
    AxisPlace of_next_event(std::uint32_t event, std::uint32_t& tick) const;

    /// A moment on the clock of the events; edges beyond them. The left edge where the picture has no times. O(log ticks).
    AxisPlace of_time(std::int64_t time_us) const;
    /// The step of the first alloc or free at or after a moment; the right edge after the last one. Of two such steps, the
    /// allocs and frees with begin <= step < end are those between their moments. Only if the picture has times. O(log
    /// ticks).
    std::uint64_t step_of_next_action(std::int64_t time_us) const;

private:
    AxisPlace before_tick(std::uint32_t event, std::uint32_t tick) const;
    /// Of a moment at or beyond an edge: that edge.
    std::optional<AxisPlace> edge_for(std::int64_t time_us) const;
    AxisPlace between_ticks(std::int64_t since_us, std::uint32_t next) const;

    const Timeline& picture_;
};

/// The steps at which of_time() puts moments in rising order, of a picture that has times and whose left edge is at
/// `start_us`; `steps` has room for as many. O(log ticks + ticks between the first moment and the last + moments).
void find_steps_of_times(const Ticks& ticks, std::int64_t start_us, std::span<const std::int64_t> times_us,
                         std::span<double> steps);

}  // namespace snapviewer
