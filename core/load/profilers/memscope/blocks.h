#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "core/load/profilers/memscope/dump.h"

namespace snapviewer::memscope {

inline constexpr std::uint32_t k_none = 0xFFFFFFFF;

/// One kind of memory of one device in one process: a picture of its own. Ordered by device, kind and process.
struct Part {
    std::int32_t device = k_no_device;
    std::uint16_t type = 0;    ///< index into Dump::types
    std::int64_t process = 0;  ///< 0 where the rows do not say
    auto operator<=>(const Part&) const = default;
};

/// A block by the changes that begin and end it, indices into Dump::changes; k_none where the file does not hold one. Never
/// both.
struct Block {
    std::uint32_t part = 0;  ///< index into Blocks::parts
    std::uint32_t alloc = k_none;
    std::uint32_t free = k_none;
};

/// All blocks of a dump.
struct Blocks {
    std::vector<Part> parts;               ///< those with blocks, in their order
    std::vector<Block> blocks;             ///< in the order of what the file mentions of each first
    std::vector<std::uint32_t> of_change;  ///< the block of each change; k_none for one that tells nothing
};

/// A FREE ends what the last MALLOC of the same process, kind, device and address began. A row that does not name its
/// process may be of any; of HAL, one that does not name its device may be of any. As in MindStudio Insight, a MALLOC of
/// what is still allocated tells nothing. Where only the FREE was recorded the block was there from the beginning. The log
/// counts both. O(n) but for damaged files.
Blocks pair_changes(const Dump& dump, ImportLog& log);

/// A picture and the rows that its allocations came from, both parallel to its allocations.
struct BuiltPart {
    DeviceTrace trace;
    std::vector<std::int64_t> alloc_rows;  ///< 0 = from none that has a number; k_below_all for what lies below all others
    std::vector<std::int64_t> free_rows;
};

/// The parts as parts of a snapshot, in the order of Blocks::parts: allocations, events and the totals that the file gives.
/// Each allocation has its owner as category, or the kind of memory where it has none. At the bottom lies what an allocator
/// had given out before the recording and kept. Neither named nor numbered yet.
std::vector<BuiltPart> build_parts(const Dump& dump, const Blocks& blocks, Snapshot& snapshot);

/// The most important kind first: frameworks, then the driver, then what is not known.
int rank_of_type(std::string_view type);

}  // namespace snapviewer::memscope
