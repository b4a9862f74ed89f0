#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "core/load/profilers/memscope/dump.h"

namespace snapviewer::memscope {

inline constexpr std::uint32_t k_none = 0xFFFFFFFF;

/// One kind of memory of one device in one process, drawn as a picture of its own. Ordered by device, kind and process.
struct Part {
    std::int32_t device = k_no_device;
    std::uint16_t type = 0;    ///< index into Dump::types
    std::int64_t process = 0;  ///< Process id; 0 if the rows state none.
    auto operator<=>(const Part&) const = default;
};

/// A block, given by the indices in Dump::changes of its MALLOC and its FREE. k_none stands for a missing row; at least one
/// of the two exists.
struct Block {
    std::uint32_t part = 0;  ///< index into Blocks::parts
    std::uint32_t alloc = k_none;
    std::uint32_t free = k_none;
};

/// All blocks of a dump.
struct Blocks {
    std::vector<Part> parts;               ///< parts that contain blocks, sorted
    std::vector<Block> blocks;             ///< blocks, sorted by the first row about each block
    std::vector<std::uint32_t> of_change;  ///< Block index of each change; k_none for a change that was ignored.
};

/// Pairs each FREE with the last MALLOC of the same process, kind, device and address. A row without a process matches any
/// process; a HAL row without a device matches any device. A MALLOC of an address that is still allocated is ignored, as in
/// MindStudio Insight. A FREE without a MALLOC means that the block was allocated before the recording. The log counts both
/// cases. O(n), except for damaged files.
Blocks pair_changes(const Dump& dump, ImportLog& log);

/// The table rows of a part's allocations, parallel to them.
struct AllocationRows {
    /// Row number of each MALLOC; 0 if no row has a number, k_below_all for memory that no row lists.
    std::vector<std::int64_t> allocs;
    std::vector<std::int64_t> frees;
};

/// A picture, and the table rows of its allocations.
struct BuiltPart {
    DeviceTrace trace;
    AllocationRows rows;
};

/// Builds a trace for each part, in the order of Blocks::parts: allocations, events and the allocator's totals. The category
/// of an allocation is its owner, or the kind of memory if it has none. The lowest allocation stands for the memory that was
/// allocated before the recording and kept throughout. The caller assigns names and numbers to the traces.
std::vector<BuiltPart> build_parts(const Dump& dump, const Blocks& blocks, Snapshot& snapshot);

}  // namespace snapviewer::memscope
