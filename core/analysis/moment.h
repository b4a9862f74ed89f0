#pragma once

#include <cstdint>

#include "core/timeline/timeline.h"

namespace snapviewer {

/// The tick whose picture is the state after the first `events` events of the device. O(log ticks).
std::uint32_t tick_after_events(const Timeline& timeline, std::uint32_t events);

/// The event that a tick draws, or the last one before it; none() for what was there before the first. O(1).
EventId event_of_tick(const Timeline& timeline, std::uint32_t tick);

/// Sum of all live sizes after the first `events` events. O(log ticks).
std::uint64_t total_after_events(const Timeline& timeline, std::uint32_t events);

/// The step of the axis at which the first alloc or free from an event on begins; the right edge after the last. O(log
/// ticks).
std::uint64_t step_before_event(const Timeline& timeline, std::uint32_t event);

/// The step of the axis at which the state after an event begins; 0 before the first. O(log ticks).
std::uint64_t step_after_event(const Timeline& timeline, EventId event);

}  // namespace snapviewer
