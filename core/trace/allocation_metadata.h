#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// How PyTorch tags what its allocator makes for itself, to have the next block begin at a wanted address.
inline constexpr std::string_view k_allocators_own_tag = "mallocWithAddress";

/// The event that an allocation is known from: its alloc, its free where only that was recorded, or none().
inline EventId known_event(const AllocationColumns& allocations, AllocationId id) {
    const EventId alloc = allocations.alloc_event[id.value];
    return alloc.is_some() ? alloc : allocations.free_event[id.value];
}

/// What was noted at that event, or none().
inline MetadataId metadata_of(const DeviceTrace& trace, AllocationId id) {
    const EventId event = known_event(trace.allocations, id);
    const bool has_metadata = event.is_some() && event.value < trace.events.metadata.size();
    return has_metadata ? trace.events.metadata[event.value] : MetadataId::none();
}

/// The notes of one allocation, in recorded order. O(log notes).
std::span<const AllocationNote> notes_of(const DeviceTrace& trace, AllocationId id);
std::string_view note_text(const Snapshot& snapshot, const DeviceTrace& trace, const AllocationNote& note);
/// All of them, a line each, or none(). O(log notes).
StringId notes_text_of(const DeviceTrace& trace, AllocationId id);

/// Tells which allocations the allocator made for itself. Before PyTorch 2.15 the tag stood behind the user's text, on a
/// line of its own; complete_snapshot() puts it where it stands now. The snapshot outlives this. Making it is O(metadata).
class AllocatorsOwn {
public:
    explicit AllocatorsOwn(const Snapshot& snapshot);

    bool contains(const DeviceTrace& trace, AllocationId id) const {
        if (is_own_.empty()) return false;
        const MetadataId metadata = metadata_of(trace, id);
        return metadata.is_some() && is_own_[metadata.value];
    }

private:
    std::vector<bool> is_own_;  ///< by MetadataId; empty if there are none
};

}  // namespace snapviewer
