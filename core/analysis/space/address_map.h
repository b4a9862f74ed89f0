#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/analysis/space/address_space.h"

namespace snapviewer {

/// The part of an address range that lies on one line of an address map. A range that does not fit on a line continues on
/// the next line.
struct AddressMapPiece {
    std::uint32_t range = 0;  ///< Index into `AddressMoment::ranges`
    std::uint64_t begin = 0;  ///< First address of the piece
    std::uint64_t end = 0;
    std::uint64_t offset_bytes = 0;  ///< Distance from the beginning of the line, in bytes
};

/// One line of an address map. Its pieces are consecutive in `AddressMap::pieces`.
struct AddressMapLine {
    std::uint32_t group = 0;  ///< Index into `AddressMap::groups`
    std::uint32_t first_piece = 0;
    std::uint32_t piece_count = 0;
};

/// All address ranges with the same traits: pool, stream, size class of requests, and whether they are expandable.
struct AddressMapGroup {
    RangeTraits traits;  ///< The pool is one of the file or the default pool, never `k_no_pool`
    std::uint32_t range_count = 0;
    std::uint64_t reserved_bytes = 0;
    std::uint32_t first_line = 0;
};

/// The reserved memory of one moment, laid out like a page of text: all lines have equal length, and the ranges of a group
/// follow each other by address, with a gap between two ranges. Each group begins a new line. Groups of the default pool
/// come first; among groups of equal kind, those with more reserved memory come first.
struct AddressMap {
    std::uint64_t line_bytes = 0;
    std::vector<AddressMapGroup> groups;
    std::vector<AddressMapLine> lines;
    std::vector<AddressMapPiece> pieces;
};

/// Lays out an address map. Makes lines longer than `line_bytes` if the reserved memory would otherwise fill more than
/// 50,000 lines. O(ranges log ranges + lines).
AddressMap lay_out_address_map(const AddressMoment& moment, const PoolNames& pools, std::uint64_t line_bytes,
                               std::uint64_t gap_bytes);

/// Returns approximately the shortest line length, in bytes, with which the map of `moment` has at most `max_lines` lines.
/// `gap_share` is the length of a gap as a fraction of a line. If there are more groups than `max_lines`, returns a length
/// at which the largest group fits on one line.
std::uint64_t fitting_line_bytes(const AddressMoment& moment, const PoolNames& pools, std::size_t max_lines,
                                 double gap_share);

/// Returns the first moment with the most reserved memory. O(ranges log ranges).
std::uint32_t max_reserved_moment(const AddressSpace& space);

/// The block or the hole at an address.
struct AddressSpot {
    std::uint32_t range = 0;             ///< Index into `AddressMoment::ranges`
    std::optional<std::uint32_t> block;  ///< Index into `AddressMoment::blocks`; nullopt for a hole
    Hole hole;                           ///< The free addresses around the spot; only valid if `block` is nullopt
};

/// Returns the block or hole at `address`, which must lie in the range with index `range`. O(log blocks).
AddressSpot spot_at(const AddressMoment& moment, std::uint32_t range, std::uint64_t address);

}  // namespace snapviewer
