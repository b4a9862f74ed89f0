#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/trace/snapshot.h"

namespace snapviewer {

/// What is live while a trace's actions are gone through, one by one, from what stands before the first.
class LiveWalk {
public:
    /// The trace outlives this, its allocations are collected.
    explicit LiveWalk(const DeviceTrace& trace) : trace_(trace), is_live_(trace.allocations.size()) {
        for (std::uint32_t id = 0; id < trace.initial_count; ++id) toggle(AllocationId{id});
    }

    /// Starts or ends an allocation; true if it is live now.
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

/// The largest total of all. O(actions).
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
