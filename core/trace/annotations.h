#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// The tag that PyTorch gives to allocations of the allocator itself, which it makes so that the next block begins at a
/// requested address.
inline constexpr std::string_view k_allocator_internal_tag = "mallocWithAddress";

/// The event that recorded an allocation: its alloc event, its free event if only that was recorded, or none().
inline EventId known_event(const AllocationColumns& allocations, AllocationId id) {
    const EventId alloc = allocations.alloc_event[id.value];
    return alloc.is_some() ? alloc : allocations.free_event[id.value];
}

/// The metadata of the event that known_event() returns, or none() if it has none.
inline MetadataId metadata_of(const DeviceTrace& trace, AllocationId id) {
    const EventId event = known_event(trace.allocations, id);
    const bool has_metadata = event.is_some() && event.value < trace.events.metadata.size();
    return has_metadata ? trace.events.metadata[event.value] : MetadataId::none();
}

/// The notes of one allocation, in recorded order. O(log notes).
std::span<const AllocationNote> notes_of(const DeviceTrace& trace, AllocationId id);
std::string_view note_text(const Snapshot& snapshot, const DeviceTrace& trace, const AllocationNote& note);
/// The texts of all notes of an allocation, one line each, or none(). O(log notes).
StringId notes_text_of(const DeviceTrace& trace, AllocationId id);

/// Finds the allocations that the allocator made for itself. Before PyTorch 2.15 the tag was appended to the user's text as
/// a line of its own; complete_snapshot() moves it to internal_metadata, as in later versions. The constructor is
/// O(metadata).
class InternalAllocations {
public:
    explicit InternalAllocations(const Snapshot& snapshot);

    bool contains(const DeviceTrace& trace, AllocationId id) const {
        if (is_own_.empty()) return false;
        const MetadataId metadata = metadata_of(trace, id);
        return metadata.is_some() && is_own_[metadata.value];
    }

private:
    std::vector<bool> is_own_;  ///< by MetadataId; empty if no allocation has the tag
};

/// The recorded start or end of a named range.
struct RangeMark {
    StringId name;
    bool is_start = false;
};

/// The start and the end of one range, as indices of marks.
struct MarkPair {
    static constexpr std::uint32_t k_missing = 0xFFFFFFFF;  ///< the mark is not in the recording
    std::uint32_t start = k_missing;
    std::uint32_t end = k_missing;
    bool operator==(const MarkPair&) const = default;
};

/// Pairs the starts and ends of ranges: an end belongs to the innermost open start of the same name. The result is ordered
/// by the first mark of each pair. O(marks).
std::vector<MarkPair> pair_marks(std::span<const RangeMark> marks);

/// An interval in any unit.
struct Extent {
    double begin = 0;
    double end = 0;
};

/// Assigns each extent the lowest level that is free at its begin, so that extents of one level do not overlap and nested
/// extents are deeper than the outer ones. Precondition: `extents` are ordered by rising begin, longer ones first. O(n log
/// n).
std::vector<std::uint32_t> stacking_levels(std::span<const Extent> extents);

/// A named range of a device (torch.profiler.record_function).
struct AnnotationRange {
    StringId name;
    std::int32_t device = 0;
    std::int64_t start_us = k_no_time;  ///< start of the range; k_no_time if it is not in the recording
    std::int64_t end_us = k_no_time;
    std::uint32_t level = 0;  ///< nesting level; 0 is the outermost level of the device
};

/// Pairs Snapshot::annotations into ranges, separately for each device. The result is ordered by device and start; ranges
/// without a start come first. O(n log n).
std::vector<AnnotationRange> annotation_ranges(const Snapshot& snapshot);

}  // namespace snapviewer
