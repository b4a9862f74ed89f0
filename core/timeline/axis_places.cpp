#include "core/timeline/axis_places.h"

#include <algorithm>
#include <cmath>

namespace snapviewer {
namespace {

/// Interpolates the step at a time between two ticks, given in microseconds since the left edge. `next` is the first tick
/// after it.
double step_between(const Ticks& ticks, std::int64_t since_us, std::uint32_t next) {
    const auto from_us = static_cast<double>(ticks.time_us[next - 1]), to_us = static_cast<double>(ticks.time_us[next]);
    return std::lerp(static_cast<double>(ticks.step[next - 1]), static_cast<double>(ticks.step[next]),
                     (static_cast<double>(since_us) - from_us) / (to_us - from_us));
}

}  // namespace

AxisPlace AxisPlaces::of_tick(std::uint32_t tick) const {
    return {static_cast<double>(picture_.step_of_tick(tick)),
            picture_.has_times() ? static_cast<double>(picture_.tick_times_us()[tick]) : 0.0};
}

/// The position of an event. `tick` is the first tick whose events include this one: the event happens at that tick or
/// between it and the previous tick.
AxisPlace AxisPlaces::before_tick(std::uint32_t event, std::uint32_t tick) const {
    const auto done_by = picture_.tick_events();
    const AxisPlace to = of_tick(tick);
    const bool is_edge = tick + 1 == picture_.tick_count();
    if (tick == 0 || (!is_edge && done_by[tick] == event + 1)) return to;
    const AxisPlace from = of_tick(tick - 1);
    const double share = static_cast<double>(event + 1 - done_by[tick - 1]) / (done_by[tick] - done_by[tick - 1]);
    AxisPlace place{std::lerp(from.step, to.step, share), from.time_us};
    const std::int64_t time_us = picture_.trace().events.time_us[event];
    if (picture_.has_times() && time_us != k_no_time) {
        const auto since_us = static_cast<double>(time_us - picture_.start_time_us());
        place.time_us = std::clamp(since_us, from.time_us, to.time_us);
    }
    return place;
}

AxisPlace AxisPlaces::of_event(std::uint32_t event) const {
    const auto done_by = picture_.tick_events();
    const auto tick = std::ranges::lower_bound(done_by, event + 1) - done_by.begin();
    return before_tick(event, static_cast<std::uint32_t>(tick));
}

AxisPlace AxisPlaces::of_next_event(std::uint32_t event, std::uint32_t& tick) const {
    const auto done_by = picture_.tick_events();
    while (done_by[tick] < event + 1) ++tick;
    return before_tick(event, tick);
}

std::optional<AxisPlace> AxisPlaces::edge_for(std::int64_t time_us) const {
    if (!picture_.has_times() || time_us <= picture_.start_time_us()) return left_edge();
    if (time_us - picture_.start_time_us() >= picture_.tick_times_us().back()) return right_edge();
    return std::nullopt;
}

/// The position of a time between two ticks, given in microseconds since the left edge. `next` is the first tick after it.
AxisPlace AxisPlaces::between_ticks(std::int64_t since_us, std::uint32_t next) const {
    return {step_between(*picture_.ticks(), since_us, next), static_cast<double>(since_us)};
}

AxisPlace AxisPlaces::of_time(std::int64_t time_us) const {
    if (const std::optional<AxisPlace> edge = edge_for(time_us)) return *edge;
    const auto times = picture_.tick_times_us();
    const std::int64_t since_us = time_us - picture_.start_time_us();
    return between_ticks(since_us, static_cast<std::uint32_t>(std::ranges::upper_bound(times, since_us) - times.begin()));
}

std::uint64_t AxisPlaces::step_of_next_action(std::int64_t time_us) const {
    const auto times = picture_.tick_times_us();
    if (time_us > picture_.start_time_us() + times.back()) return picture_.step_count();
    const std::int64_t since_us = time_us > picture_.start_time_us() ? time_us - picture_.start_time_us() : 0;
    const auto actions = times.subspan(1, times.size() - 2);
    const auto next = static_cast<std::uint32_t>(std::ranges::lower_bound(actions, since_us) - actions.begin() + 1);
    // The tick of a free lies at the end of the step that the free takes, so its action begins one step earlier.
    return picture_.step_of_tick(next) - (picture_.is_free(next) ? 1 : 0);
}

void find_steps_of_times(const Ticks& ticks, std::int64_t start_us, std::span<const std::int64_t> times_us,
                         std::span<double> steps) {
    if (times_us.empty()) return;
    auto next = std::ranges::upper_bound(ticks.time_us, times_us.front() - start_us);
    for (std::size_t i = 0; i < times_us.size(); ++i) {
        const std::int64_t since_us = times_us[i] - start_us;
        if (since_us <= 0 || since_us >= ticks.time_us.back()) {
            steps[i] = since_us <= 0 ? 0.0 : static_cast<double>(ticks.step.back());
            continue;
        }
        while (*next <= since_us) ++next;
        steps[i] = step_between(ticks, since_us, static_cast<std::uint32_t>(next - ticks.time_us.begin()));
    }
}

}  // namespace snapviewer
