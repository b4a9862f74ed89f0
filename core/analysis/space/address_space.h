#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/space/address_walk.h"

namespace snapviewer::space {

/// Finds which items (blocks or ranges) exist at a moment, in ascending order of their addresses. Stores complete lists of
/// the existing items at some moments only. Between two lists are at least k_min_checkpoint_events events, and at least half
/// as many events as items exist, so that the lists take no more memory than the items themselves. Immutable once filled. A
/// lookup takes about as long as its result.
class LifeIndex {
public:
    static constexpr std::uint32_t k_min_checkpoint_events = 1024;

    /// Returns true if enough events have happened since the last stored list. `there` is the number of items that exist
    /// now.
    bool is_due(std::uint32_t moment, std::size_t there) const {
        return lists_.empty() || moment - lists_.back().moment >= std::max<std::size_t>(k_min_checkpoint_events, there / 2);
    }
    /// Stores a list. `there` contains the items that exist now, ordered by address; `known` is the number of items that
    /// have appeared so far.
    void add(std::uint32_t moment, std::span<const std::uint32_t> there, std::size_t known) {
        lists_.push_back({moment, static_cast<std::uint32_t>(known), numbers_.size(), there.size()});
        numbers_.insert(numbers_.end(), there.begin(), there.end());
    }

    /// Returns the indexes of the items that exist at a moment, ordered by address. `lives` contains all items in the order
    /// of their appearance, each with `rank`, `begin` and `end`.
    template <typename Life>
    std::vector<std::uint32_t> at(const std::vector<Life>& lives, std::uint32_t moment) const {
        const auto after = std::ranges::upper_bound(lists_, moment, {}, &List::moment);
        const List& list = *(after - 1);
        std::vector<std::uint32_t> newer;
        for (std::uint32_t i = list.known; i < lives.size() && lives[i].begin <= moment; ++i) {
            if (lives[i].end > moment) newer.push_back(i);
        }
        const auto place = [&](std::uint32_t number) { return lives[number].rank; };
        std::ranges::sort(newer, {}, place);
        std::vector<std::uint32_t> there;
        there.reserve(list.count + newer.size());
        auto next = newer.begin();
        for (const std::uint32_t number : std::span(numbers_).subspan(list.first, list.count)) {
            if (lives[number].end <= moment) continue;
            while (next != newer.end() && place(*next) < place(number)) there.push_back(*next++);
            there.push_back(number);
        }
        there.insert(there.end(), next, newer.end());
        return there;
    }

private:
    struct List {
        std::uint32_t moment = 0;
        std::uint32_t known = 0;
        std::size_t first = 0;  ///< Index of the list's first element in `numbers_`
        std::size_t count = 0;
    };
    std::vector<List> lists_;  ///< Stored lists by moment; the first list is for moment 0
    std::vector<std::uint32_t> numbers_;
};

/// The address ranges and blocks of a device at one moment.
struct AddressMoment {
    struct Block {
        std::uint64_t address = 0;
        std::uint64_t size_bytes = 0;  ///< Size of the block, which may exceed the size of the request
        AllocationId allocation;       ///< The allocation in this block; none() if the file does not say
        bool is_pending = false;       ///< True if the block was freed, but another stream may still use it
    };
    struct Range {
        AddressRange range;
        std::uint32_t first_block = 0;  ///< Index of the range's first block in `AddressMoment::blocks`
        std::uint32_t block_count = 0;
    };

    std::vector<Range> ranges;   ///< All reserved ranges, sorted by address
    std::vector<Block> blocks;   ///< Blocks of all ranges, sorted by address
    std::vector<Block> outside;  ///< Blocks that are live according to the events, but lie in no segment
    std::uint64_t reserved_bytes = 0;
    std::uint64_t active_bytes = 0;   ///< Bytes of all blocks, including pending blocks and blocks in `outside`
    std::uint64_t pending_bytes = 0;  ///< Bytes of pending blocks; part of `active_bytes`

    std::span<const Block> blocks_of(const Range& range) const {
        return std::span(blocks).subspan(range.first_block, range.block_count);
    }
};

/// A half-open interval of free addresses inside a range.
struct Hole {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t size_bytes() const { return end - begin; }
};

/// Calls `visit(Hole)` for each hole of a range, ordered by address. Blocks for which `is_seen(block)` returns false count
/// as free.
template <typename Visit, typename IsSeen>
void for_each_hole(const AddressMoment& moment, const AddressMoment::Range& range, Visit visit, IsSeen is_seen) {
    std::uint64_t at = range.range.address;
    for (const AddressMoment::Block& block : moment.blocks_of(range)) {
        if (!is_seen(block)) continue;
        if (block.address > at) visit(Hole{at, block.address});
        at = std::max(at, std::min(end_address(block.address, block.size_bytes), range.range.end()));
    }
    if (at < range.range.end()) visit(Hole{at, range.range.end()});
}
template <typename Visit>
void for_each_hole(const AddressMoment& moment, const AddressMoment::Range& range, Visit visit) {
    for_each_hole(moment, range, visit, [](const AddressMoment::Block&) { return true; });
}

/// Result of AddressSpace::check(): compares a backward walk, which starts at the file's segments, with a forward walk,
/// which starts where the backward walk ended.
struct WalkAgreement {
    std::uint64_t states = 0;     ///< Number of compared states: one before all events and one after each event
    std::uint64_t differing = 0;  ///< Number of compared states that differ
    std::optional<std::uint32_t> first_differing_moment;
    bool end_equals_file = false;
    bool differs_at_moment = false;                  ///< True if the walks differ at the moment that was passed to check()
    std::array<std::uint64_t, 6> sizes_by_origin{};  ///< Number of allocations, indexed by BlockSizeOrigin
};

/// Address ranges and blocks of a device at any moment of the recording. A backward walk over the events first computes the
/// state at the start from the segments at the end of the file. A forward walk then repeats the events, which also yields
/// the sizes of blocks that no longer exist at the end. A moment is a number of events that have happened: moment 0 is
/// before the first event.
///
/// Immutable once built; safe to read from many threads. Keeps references to the snapshot and the trace. Uses about 32 bytes
/// per allocation and 8 bytes per event.
///
///     const AddressMoment then = space.at(space.moment_count() - 1);  // what the file's segments say
///     for (const AddressMoment::Range& range : then.ranges) draw(range, then.blocks_of(range));
class AddressSpace {
public:
    /// Throws a Failure only when stopped. O(events), plus sorting of the addresses: 0.4 s for a million events.
    static AddressSpace build(const Snapshot& snapshot, const DeviceTrace& trace);

    std::uint32_t moment_count() const { return static_cast<std::uint32_t>(facts_->trace.events.size()) + 1; }
    const AddressFacts& facts() const { return *facts_; }
    /// Computes the state at a moment. Thread-safe. Takes less than a millisecond for a thousand events and ten thousand
    /// blocks.
    AddressMoment at(std::uint32_t moment) const;

    /// Returns the size of an allocation's block, and how the size is known.
    const BlockSize& block_size(AllocationId id) const { return sizes_[id.value]; }
    /// All blocks that ever existed, in the order of their appearance. ranges() returns the ranges in the same way.
    const std::vector<BlockLife>& blocks() const { return blocks_; }
    const std::vector<RangeLife>& ranges() const { return ranges_; }

    const ContradictionCounts& backward_contradictions() const { return backward_contradictions_; }
    const ContradictionCounts& forward_contradictions() const { return forward_contradictions_; }
    /// Returns true if the idle memory of the segments is known. This requires that reserved memory is known throughout, and
    /// that each block that is live after the last event is a block of the file's segments.
    bool is_idle_memory_known() const;
    /// Returns how often the split rule was tested on a block of known size; right_guesses() returns how often it was right.
    std::uint64_t guesses() const { return guesses_; }
    std::uint64_t right_guesses() const { return right_guesses_; }
    /// Repeats both walks and compares their states. Throws a Failure only when stopped. Takes as long as build().
    WalkAgreement check(std::uint32_t moment) const;

private:
    AddressSpace() = default;
    void take_sizes_from_file();
    void walk();

    std::unique_ptr<const AddressFacts> facts_;
    std::vector<BlockSize> sizes_;  ///< Sizes of blocks, indexed by allocation
    std::vector<BlockLife> blocks_;
    std::vector<RangeLife> ranges_;
    LifeIndex block_index_;
    LifeIndex range_index_;
    ContradictionCounts backward_contradictions_{};
    ContradictionCounts forward_contradictions_{};
    std::uint64_t guesses_ = 0;
    std::uint64_t right_guesses_ = 0;
};

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
    RangeTraits traits;  ///< The pool is one of Snapshot::pools or the default pool, never `k_no_pool`
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
    Hole hole;                           ///< The hole that contains the address; only valid if `block` is nullopt
};

/// Returns the block or hole at `address`, which must lie in the range with index `range`. O(log blocks).
AddressSpot spot_at(const AddressMoment& moment, std::uint32_t range, std::uint64_t address);

}  // namespace snapviewer::space
