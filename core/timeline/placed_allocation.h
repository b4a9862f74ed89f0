#pragma once

#include "core/base/ids.h"

namespace snapviewer {

/// An allocation at a point of the picture, with the offset of its lower edge there. Comparing it with an id compares only
/// the ids.
struct PlacedAllocation {
    AllocationId id;
    double low_bytes = 0;  ///< lower edge, including slides in progress
    bool operator==(const PlacedAllocation&) const = default;
    bool operator==(AllocationId other) const { return id == other; }
};

}  // namespace snapviewer
