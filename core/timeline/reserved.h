#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/trace/snapshot.h"

namespace snapviewer {

/// How much a device had reserved from the driver, over its events.
struct ReservedHistory {
    std::uint64_t bytes_at_start = 0;
    std::vector<std::uint32_t> events;       ///< those that changed it
    std::vector<std::uint64_t> bytes_after;  ///< parallel to events

    /// Once so many events have happened.
    std::uint64_t after_events(std::uint32_t event_count) const;
};

/// What the segments hold at the end, with the segment events undone from there. Nothing where the file lists no segments of
/// the device or they contradict the events. O(events).
std::optional<ReservedHistory> reserved_history(const Snapshot& snapshot, const DeviceTrace& trace);

/// The addresses a device had reserved, at the end and, event by event, before it.
class ReservedRanges {
public:
    struct Range {
        std::uint64_t end = 0;       ///< the byte after the last
        bool is_expandable = false;  ///< those that touch are one; other segments stay apart
    };

    ReservedRanges(const Snapshot& snapshot, std::int32_t device);

    /// Goes back to the moment before an event that had just happened. Only segment events change anything.
    void undo(const EventColumns& events, std::size_t event);
    const std::map<std::uint64_t, Range>& by_address() const { return ranges_; }

private:
    void add(std::uint64_t begin, Range range);
    void cut(std::uint64_t begin, std::uint64_t end);

    std::map<std::uint64_t, Range> ranges_;
};

/// What is reserved and lies idle.
struct Holes {
    std::uint64_t total_bytes = 0;
    std::uint64_t largest_bytes = 0;
    std::size_t count = 0;
    bool operator==(const Holes&) const = default;
};

/// The holes in a device's segments once so many events have happened, for each of `event_counts` (rising). A block that is
/// gone at the end counts as its request rounded up to 512 bytes, as the file does not tell more. Empty where the file lists
/// no segments of the device. O(segment events + moments * live allocations).
std::vector<Holes> holes_after_events(const Timeline& timeline, std::span<const std::uint32_t> event_counts);

}  // namespace snapviewer
