#include "core/analysis/moment.h"

#include <algorithm>

namespace snapviewer {

std::uint32_t tick_after_events(const Timeline& timeline, std::uint32_t events) {
    const auto done_by = timeline.tick_events();
    const auto actions = done_by.first(done_by.size() - 1);  // the right edge comes after all events, but changes nothing
    return static_cast<std::uint32_t>(std::ranges::upper_bound(actions, events) - actions.begin() - 1);
}

EventId event_of_tick(const Timeline& timeline, std::uint32_t tick) {
    const std::uint32_t events = timeline.tick_events()[tick];
    return events == 0 ? EventId::none() : EventId{events - 1};
}

std::uint64_t total_after_events(const Timeline& timeline, std::uint32_t events) {
    return timeline.total_after_tick(tick_after_events(timeline, events));
}

std::uint64_t step_before_event(const Timeline& timeline, std::uint32_t event) {
    const std::uint32_t next = tick_after_events(timeline, event) + 1;
    return timeline.step_of_tick(next) - (timeline.is_free(next) ? 1 : 0);
}

std::uint64_t step_after_event(const Timeline& timeline, EventId event) {
    if (!event.is_some()) return 0;
    const bool frees = timeline.trace().events.action[event.value] == Action::free_completed;
    return step_before_event(timeline, event.value) + (frees ? 1 : 0);
}

}  // namespace snapviewer
