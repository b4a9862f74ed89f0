#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// The begin or the end of a named range, as recorded.
struct RangeMark {
    StringId name;
    bool is_start = false;
};

/// Two marks that belong together, by number.
struct MarkPair {
    static constexpr std::uint32_t k_missing = 0xFFFFFFFF;  ///< the recording lacks it
    std::uint32_t start = k_missing;
    std::uint32_t end = k_missing;
    bool operator==(const MarkPair&) const = default;
};

/// An end belongs to the innermost open start of its name. Ordered by the first mark of each pair. O(marks).
std::vector<MarkPair> pair_marks(std::span<const RangeMark> marks);

/// From where to where something reaches, on any one scale.
struct Extent {
    double begin = 0;
    double end = 0;
};

/// For each extent the lowest level that is free where it begins, so that those of one level do not overlap and an inner one
/// lies deeper than the outer. They come by rising begin, longer ones first. O(n log n).
std::vector<std::uint32_t> stacking_levels(std::span<const Extent> extents);

/// A named range of a device (torch.profiler.record_function).
struct AnnotationRange {
    StringId name;
    std::int32_t device = 0;
    std::int64_t start_us = k_no_time;  ///< k_no_time where the recording lacks that end
    std::int64_t end_us = k_no_time;
    std::uint32_t level = 0;  ///< 0 is the outermost of its device
};

/// Snapshot::annotations, paired within their device: by device, then by start, those without a start first. O(n log n).
std::vector<AnnotationRange> annotation_ranges(const Snapshot& snapshot);

}  // namespace snapviewer
