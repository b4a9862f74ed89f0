#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/snapshot.h"

namespace snapviewer {

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
    std::int64_t start_us = k_no_time;  ///< k_no_time if the start is not in the recording
    std::int64_t end_us = k_no_time;
    std::uint32_t level = 0;  ///< nesting level; 0 is the outermost level of the device
};

/// Pairs Snapshot::annotations into ranges, separately for each device. The result is ordered by device and start; ranges
/// without a start come first. O(n log n).
std::vector<AnnotationRange> annotation_ranges(const Snapshot& snapshot);

}  // namespace snapviewer
