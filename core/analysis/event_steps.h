#pragma once

#include <algorithm>
#include <cstdint>

#include "core/timeline/timeline.h"

namespace snapviewer {

/// Returns the step of the timeline's axis at which an event happens. A new allocation is drawn from this step on, a freed
/// one is drawn up to and including this step. Other events do not advance the axis. O(log ticks).
inline std::uint64_t step_of_event(const Timeline& timeline, std::uint32_t event) {
    const auto done = timeline.tick_events();
    const auto tick = static_cast<std::uint32_t>(std::ranges::lower_bound(done, event + 1) - done.begin());
    if (tick + 1 >= timeline.tick_count()) return timeline.trace().actions.empty() ? 0 : timeline.step_count();
    return timeline.step_of_tick(tick) - (timeline.is_free(tick) ? 1 : 0);
}

/// Converts a moment, that is, a number of events that have happened, to a step of the timeline's axis. The columns
/// alloc_step and free_step of allocations say which allocations are live at this step.
inline std::uint64_t step_of_moment(const Timeline& timeline, std::uint32_t moment) {
    if (moment == 0) return 0;
    const bool is_free = timeline.trace().events.action[moment - 1] == Action::free_completed;
    return step_of_event(timeline, moment - 1) + (is_free ? 1 : 0);
}

/// Returns the last tick of the timeline whose change has happened at a moment.
inline std::uint32_t tick_of_moment(const Timeline& timeline, std::uint32_t moment) {
    const auto done = timeline.tick_events();
    return static_cast<std::uint32_t>(std::ranges::upper_bound(done, moment) - done.begin()) - 1;
}

}  // namespace snapviewer
