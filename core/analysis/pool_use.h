#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/address_space.h"
#include "core/trace/stack_lines.h"

namespace snapviewer {

/// What a memory pool holds at one moment, in bytes.
struct PoolHolding {
    std::uint64_t reserved = 0;
    std::uint64_t used = 0;  ///< in blocks, those included that wait for another stream
    std::uint64_t idle() const { return reserved - used; }
};

/// A pool of PyTorch's allocator over a recording: the default pool, or one of a CUDA graph or a MemPool, which nothing else
/// may use.
struct PoolUse {
    std::string pool;  ///< "(0, 1)"
    bool is_private = false;
    std::optional<PoolHolding> at_peak;  ///< when most was allocated; nothing where what was reserved then is unknown
    PoolHolding at_end;
    std::optional<std::uint32_t> made_event;  ///< the first that reserved memory for it
    StackId made_stack = StackId::none();     ///< of that event, else of one of its segments
    std::string made_by;                      ///< the line of that stack; empty where it has none
    std::string captured_by;                  ///< the frame of that stack which captures a graph; empty if none does
};

/// All pools that ever reserved memory, by name. Empty where what was reserved is not known. `peak_moment` is as in
/// AddressSpace. O(ranges + events + stacks of the private pools).
std::vector<PoolUse> pool_uses(const AddressSpace& space, const StackLines& lines, std::uint32_t peak_moment);

}  // namespace snapviewer
