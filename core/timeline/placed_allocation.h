#pragma once

#include "core/base/ids.h"

namespace snapviewer {

/// An allocation at a point of the picture, and how high its lower edge lies there. Compares with an id as that id.
struct PlacedAllocation {
    AllocationId id;
    double low_bytes = 0;  ///< slides included
    bool operator==(const PlacedAllocation&) const = default;
    bool operator==(AllocationId other) const { return id == other; }
};

}  // namespace snapviewer
