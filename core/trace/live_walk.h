#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// Tracks which allocations are live while a caller walks through the actions of a trace, one by one. Starts with the
/// allocations that exist before the first action.
class LiveWalk {
public:
    /// Keeps a reference to `trace`, whose allocations must already be collected.
    explicit LiveWalk(const DeviceTrace& trace) : trace_(trace), is_live_(trace.allocations.size()) {
        for (std::uint32_t id = 0; id < trace.initial_count; ++id) toggle(AllocationId{id});
    }

    /// Applies one action: starts or ends an allocation. Returns true if it is live afterwards.
    bool toggle(AllocationId id) {
        const std::uint64_t size_bytes = trace_.allocations.size_bytes[id.value];
        const bool begins = !is_live_[id.value];
        is_live_[id.value] = begins;
        total_bytes_ += begins ? size_bytes : 0 - size_bytes;
        return begins;
    }
    std::uint64_t total_bytes() const { return total_bytes_; }
    const std::vector<bool>& is_live() const { return is_live_; }

private:
    const DeviceTrace& trace_;
    std::vector<bool> is_live_;
    std::uint64_t total_bytes_ = 0;
};

/// The peak of the total size of live allocations. O(actions).
inline std::uint64_t peak_bytes(const DeviceTrace& trace) {
    LiveWalk walk(trace);
    std::uint64_t peak = walk.total_bytes();
    for (const AllocationId id : trace.actions) {
        walk.toggle(id);
        peak = std::max(peak, walk.total_bytes());
    }
    return peak;
}

}  // namespace snapviewer
