#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

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

/// What the file's segments held when the snapshot was taken; nothing where it lists none of the device. O(segments).
std::optional<std::uint64_t> reserved_at_end(const Snapshot& snapshot, const DeviceTrace& trace);

/// What the segments hold at the end, with the segment events undone from there. Nothing unless what was reserved is known
/// throughout, or where an event reserved more than there can have been. O(events).
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
    bool holds(std::uint64_t address) const;
    const std::map<std::uint64_t, Range>& by_address() const { return ranges_; }

private:
    void add(std::uint64_t begin, Range range);
    void cut(std::uint64_t begin, std::uint64_t end);

    std::map<std::uint64_t, Range> ranges_;
};

}  // namespace snapviewer
