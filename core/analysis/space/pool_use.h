#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/space/address_space.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// The memory of a pool at one moment, in bytes.
struct PoolHolding {
    std::uint64_t reserved = 0;
    std::uint64_t used = 0;  ///< Bytes in blocks, including freed blocks that other streams may still use
    std::uint64_t idle() const { return reserved - used; }
};

/// A pool of PyTorch's allocator over a recording: the default pool, or a private pool of a CUDA graph or a MemPool, which
/// other requests cannot use.
struct PoolUse {
    std::string pool;  ///< Text of the pool's id, such as "(0, 1)"
    bool is_private = false;
    /// Memory at the moment of the peak, or nullopt if the reserved memory at that moment is unknown
    std::optional<PoolHolding> at_peak;
    PoolHolding at_end;
    std::optional<std::uint32_t> made_event;  ///< First event that reserved memory for a private pool
    /// Stack of made_event, or of one of the pool's segments if the event has no stack
    StackId made_stack = StackId::none();
    std::string made_by;      ///< Source line of made_stack; empty if there is no stack
    std::string captured_by;  ///< The frame of made_stack that captures a CUDA graph; empty if no frame does
};

/// Lists all pools that ever reserved memory, sorted by name. Empty if the reserved memory is unknown. `peak_moment` is a
/// moment of AddressSpace. O(ranges + events + stacks of the private pools).
std::vector<PoolUse> pool_uses(const AddressSpace& space, const StackLines& lines, std::uint32_t peak_moment);

}  // namespace snapviewer
