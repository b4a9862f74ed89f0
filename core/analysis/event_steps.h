#pragma once

#include <algorithm>
#include <cstdint>

#include "core/timeline/timeline.h"

namespace snapviewer {

/// The step that is reached when an event happens: an alloc is drawn from there on, a free one step later, other events
/// change nothing. O(log ticks).
inline std::uint64_t step_of_event(const Timeline& timeline, std::uint32_t event) {
    const auto done = timeline.tick_events();
    const auto tick = static_cast<std::uint32_t>(std::ranges::lower_bound(done, event + 1) - done.begin());
    if (tick + 1 >= timeline.tick_count()) return timeline.trace().actions.empty() ? 0 : timeline.step_count();
    return timeline.step_of_tick(tick) - (timeline.is_free(tick) ? 1 : 0);
}

/// The step from which the columns alloc_step and free_step of allocations tell what is live at a moment, which is a number
/// of events that have happened.
inline std::uint64_t step_of_moment(const Timeline& timeline, std::uint32_t moment) {
    if (moment == 0) return 0;
    const bool is_free = timeline.trace().events.action[moment - 1] == Action::free_completed;
    return step_of_event(timeline, moment - 1) + (is_free ? 1 : 0);
}

/// The last tick whose change had been made at a moment.
inline std::uint32_t tick_of_moment(const Timeline& timeline, std::uint32_t moment) {
    const auto done = timeline.tick_events();
    return static_cast<std::uint32_t>(std::ranges::upper_bound(done, moment) - done.begin()) - 1;
}

}  // namespace snapviewer
