#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// The bytes that a device had reserved from the driver, over its events.
struct ReservedHistory {
    std::uint64_t bytes_at_start = 0;
    std::vector<std::uint32_t> events;       ///< events that changed the reserved bytes
    std::vector<std::uint64_t> bytes_after;  ///< parallel to events

    /// The reserved bytes after the first `event_count` events.
    std::uint64_t after_events(std::uint32_t event_count) const;
};

/// The total size of the device's segments at the time of the snapshot; nullopt if the file lists none. O(segments).
std::optional<std::uint64_t> reserved_at_end(const Snapshot& snapshot, const DeviceTrace& trace);

/// Computes the history backwards: from the segments at the end, undoing the segment events. nullopt unless reserved memory
/// is known throughout, or if an event reserved more than the total at that time. O(events).
std::optional<ReservedHistory> reserved_history(const Snapshot& snapshot, const DeviceTrace& trace);

/// The address ranges that a device had reserved: at first those at the end of the recording; undo() goes back event by
/// event.
class ReservedRanges {
public:
    struct Range {
        std::uint64_t end = 0;       ///< address after the last byte
        bool is_expandable = false;  ///< adjacent expandable ranges are merged; other segments are not
    };

    ReservedRanges(const Snapshot& snapshot, std::int32_t device);

    /// Goes back to the time before `event`. Call it for the events in reverse order. Only segment events change the ranges.
    void undo(const EventColumns& events, std::size_t event);
    bool holds(std::uint64_t address) const;
    const std::map<std::uint64_t, Range>& by_address() const { return ranges_; }

private:
    void add(std::uint64_t begin, Range range);
    void cut(std::uint64_t begin, std::uint64_t end);

    std::map<std::uint64_t, Range> ranges_;
};

}  // namespace snapviewer
