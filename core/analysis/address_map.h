#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/address_space.h"

namespace snapviewer {

/// A part of a range on one line of an address map; a range that is longer than a line goes on in the next.
struct AddressMapPiece {
    std::uint32_t range = 0;  ///< into AddressMoment::ranges
    std::uint64_t begin = 0;  ///< addresses
    std::uint64_t end = 0;
    std::uint64_t offset_bytes = 0;  ///< from the beginning of the line
};

/// A line, and what is on it.
struct AddressMapLine {
    std::uint32_t group = 0;  ///< into AddressMap::groups
    std::uint32_t first_piece = 0;
    std::uint32_t piece_count = 0;
};

/// Ranges of one pool and stream, for requests of one class of sizes.
struct AddressMapGroup {
    RangeTraits traits;  ///< the pool is one of the file or the default one, never unknown
    std::uint32_t range_count = 0;
    std::uint64_t reserved_bytes = 0;
    std::uint32_t first_line = 0;
};

/// The reserved memory of a moment as a page of text: lines of equal length, in which the ranges of a group follow each
/// other by address, with a gap between two. Each group begins a line; the default pool comes first, then the largest.
struct AddressMap {
    std::uint64_t line_bytes = 0;
    std::vector<AddressMapGroup> groups;
    std::vector<AddressMapLine> lines;
    std::vector<AddressMapPiece> pieces;
};

/// Lines are longer than `line_bytes` where a moment claims more memory than 50,000 of them hold. O(ranges log ranges +
/// lines).
AddressMap lay_out_address_map(const AddressMoment& moment, const PoolNames& pools, std::uint64_t line_bytes,
                               std::uint64_t gap_bytes);

/// About the shortest lines with which a moment takes no more than `most_lines`, where a gap takes `gap_share` of a line.
/// With more groups than that, lines as long as the longest group.
std::uint64_t fitting_line_bytes(const AddressMoment& moment, const PoolNames& pools, std::size_t most_lines,
                                 double gap_share);

/// The first moment at which most was reserved. O(ranges log ranges).
std::uint32_t most_reserved_moment(const AddressSpace& space);

/// What was asked about: a block, or the free stretch between two.
struct AddressSpot {
    std::uint32_t range = 0;             ///< into AddressMoment::ranges
    std::optional<std::uint32_t> block;  ///< into AddressMoment::blocks; none: a hole
    Hole hole;                           ///< if it is one
};

/// What is at an address of a range. O(log blocks).
AddressSpot spot_at(const AddressMoment& moment, std::uint32_t range, std::uint64_t address);

}  // namespace snapviewer
