#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/address_walk.h"
#include "core/base/result.h"

namespace snapviewer {

/// Finds which of many things (blocks, ranges) exist at a moment, in the order of their addresses. Stores full lists at some
/// moments, at least k_least_events and half as many events apart as things exist, so that it takes no more memory than the
/// things themselves. Immutable once filled; a lookup costs about as much as its result is long.
class LifeIndex {
public:
    static constexpr std::uint32_t k_least_events = 1024;

    /// True if enough events have happened since the last list. `there` is the number of things that exist now.
    bool is_due(std::uint32_t moment, std::size_t there) const {
        return lists_.empty() || moment - lists_.back().moment >= std::max<std::size_t>(k_least_events, there / 2);
    }
    /// `there` lists the things that exist now, by address. `known` is the number of things that have appeared so far.
    void add(std::uint32_t moment, std::span<const std::uint32_t> there, std::size_t known) {
        lists_.push_back({moment, static_cast<std::uint32_t>(known), numbers_.size(), there.size()});
        numbers_.insert(numbers_.end(), there.begin(), there.end());
    }

    /// Indexes of the things that exist at a moment, by address. `lives` contains all things in the order in which they
    /// appear, with `rank`, `begin` and `end`.
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
        std::size_t first = 0;  ///< into numbers_
        std::size_t count = 0;
    };
    std::vector<List> lists_;  ///< the first list is for moment 0
    std::vector<std::uint32_t> numbers_;
};

/// The address space of a device at one moment.
struct AddressMoment {
    struct Block {
        std::uint64_t address = 0;
        std::uint64_t size_bytes = 0;  ///< size of the block, not of the request
        AllocationId allocation;       ///< none() if the file does not say which allocation has the block
        bool is_pending = false;       ///< freed, but another stream may still use it
    };
    struct Range {
        AddressRange range;
        std::uint32_t first_block = 0;  ///< into blocks
        std::uint32_t block_count = 0;
    };

    std::vector<Range> ranges;   ///< sorted by address
    std::vector<Block> blocks;   ///< blocks of all ranges, sorted by address
    std::vector<Block> outside;  ///< live according to the events, but in no segment
    std::uint64_t reserved_bytes = 0;
    std::uint64_t active_bytes = 0;   ///< includes pending blocks and blocks outside of segments
    std::uint64_t pending_bytes = 0;  ///< part of active_bytes

    std::span<const Block> blocks_of(const Range& range) const {
        return std::span(blocks).subspan(range.first_block, range.block_count);
    }
};

/// Half-open stretch of free addresses.
struct Hole {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t size_bytes() const { return end - begin; }
};

/// Calls `visit(Hole)` for each free stretch of a range, by address; `is_seen(block)` says whether a block takes space.
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

/// Result of comparing the walk backwards from the file's segments with the walk forwards from its result.
struct WalkAgreement {
    std::uint64_t states = 0;     ///< compared states: before all events and after each
    std::uint64_t differing = 0;  ///< number of states that differ
    std::optional<std::uint32_t> first_differing_moment;
    bool end_equals_file = false;
    bool differs_at_moment = false;                  ///< the walks differ at the moment that the caller asked for
    std::array<std::uint64_t, 6> sizes_by_origin{};  ///< allocations by BlockSizeOrigin
};

/// Ranges and blocks of a device after any event. They are computed backwards from the segments at the end of the file to
/// the start, and then forwards again, which also gives the bytes of blocks that no longer exist at the end. A moment is a
/// number of events that have happened: 0 is before the first event.
///
/// Immutable once built; safe to read from many threads. Keeps references to the snapshot and the trace. Takes some 32 bytes
/// an allocation and 8 an event.
///
///     const AddressMoment then = space.at(space.moment_count() - 1);  // what the file's segments say
///     for (const AddressMoment::Range& range : then.ranges) draw(range, then.blocks_of(range));
class AddressSpace {
public:
    /// Throws a Failure only when stopped. O(events) and sorting of the addresses: 0.4 s for a million events.
    static AddressSpace build(const Snapshot& snapshot, const DeviceTrace& trace);

    std::uint32_t moment_count() const { return static_cast<std::uint32_t>(facts_->trace.events.size()) + 1; }
    const AddressFacts& facts() const { return *facts_; }
    /// Thread-safe. Takes less than a millisecond for a thousand events and some ten thousand blocks.
    AddressMoment at(std::uint32_t moment) const;

    /// Size of the block that an allocation had.
    const BlockSize& block_size(AllocationId id) const { return sizes_[id.value]; }
    /// All blocks and ranges that ever existed, in the order in which they appear.
    const std::vector<BlockLife>& blocks() const { return blocks_; }
    const std::vector<RangeLife>& ranges() const { return ranges_; }

    const ContradictionCounts& backward_contradictions() const { return backward_contradictions_; }
    const ContradictionCounts& forward_contradictions() const { return forward_contradictions_; }
    /// True if idle memory in the segments is known: reserved memory is known throughout, and each block that the events
    /// leave live is a block of the file.
    bool tells_idle() const;
    std::uint64_t guesses() const { return guesses_; }              ///< uses of the split rule on blocks of known size
    std::uint64_t right_guesses() const { return right_guesses_; }  ///< how many of them gave the known size
    /// Walks both ways again and compares. Throws a Failure only when stopped. Takes as long as build().
    WalkAgreement check(std::uint32_t moment) const;

private:
    AddressSpace() = default;
    void take_sizes_from_file();
    void walk();

    std::unique_ptr<const AddressFacts> facts_;
    std::vector<BlockSize> sizes_;  ///< indexed by allocation
    std::vector<BlockLife> blocks_;
    std::vector<RangeLife> ranges_;
    LifeIndex block_index_;
    LifeIndex range_index_;
    ContradictionCounts backward_contradictions_{};
    ContradictionCounts forward_contradictions_{};
    std::uint64_t guesses_ = 0;
    std::uint64_t right_guesses_ = 0;
};

}  // namespace snapviewer
