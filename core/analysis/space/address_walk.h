#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/trace/allocator_rules.h"

namespace snapviewer::space {

/// All distinct addresses at which a range or a block of a device ever begins, in ascending order. The index of an address,
/// its rank, replaces the address as a key: data about an address is an array element, and the neighbouring addresses have
/// the neighbouring ranks. Immutable. Construction takes O(events + distinct log distinct).
class AddressRanks {
public:
    static constexpr std::uint32_t k_none = 0xFFFFFFFF;

    AddressRanks(const Snapshot& snapshot, const DeviceTrace& trace);

    std::size_t size() const { return addresses_.size(); }
    std::uint64_t address(std::uint32_t rank) const { return addresses_[rank]; }
    /// Returns the rank of an event's address, or k_none for an event that is not about memory.
    std::uint32_t of_event(std::size_t event) const { return event_ranks_[event]; }
    /// Returns the rank of `address`, or k_none if nothing ever begins at it. O(log addresses).
    std::uint32_t find(std::uint64_t address) const;

private:
    std::vector<std::uint64_t> addresses_;
    std::vector<std::uint32_t> event_ranks_;
};

/// Returns the exclusive end of `size_bytes` bytes at `address`, limited to UINT64_MAX instead of overflowing.
constexpr std::uint64_t end_address(std::uint64_t address, std::uint64_t size_bytes) {
    return size_bytes > UINT64_MAX - address ? UINT64_MAX : address + size_bytes;
}

/// Calls `visit(address, block)` for each block of a device's segments, in file order. Blocks follow each other from the
/// begin of their segment.
template <typename Visit>
void for_each_final_block(const Snapshot& snapshot, const DeviceTrace& trace, Visit visit) {
    for (const Segment& segment : snapshot.segments) {
        check_stop();
        if (segment.device != trace.device) continue;
        std::uint64_t address = segment.address;
        for (const Block& block : snapshot.blocks_of(segment)) {
            visit(address, block);
            address = end_address(address, block.size_bytes);
        }
    }
}

/// Properties that address ranges must share to be merged, and that a range and a request must share for the range to serve
/// the request.
struct RangeTraits {
    std::uint16_t stream = 0;        ///< Index into `Snapshot::streams`
    std::uint16_t pool = k_no_pool;  ///< Index into `Snapshot::pools`, or `k_default_pool` or `k_no_pool`
    bool is_small = false;           ///< True for a range that serves requests up to 1 MiB
    bool is_expandable = false;
    auto operator<=>(const RangeTraits&) const = default;
};

/// Represents PyTorch's default pool (0, 0) in a file that does not list this pool.
inline constexpr std::uint16_t k_default_pool = k_no_pool - 1;

/// A range of reserved addresses: one segment, or one contiguous mapped run of an expandable segment.
struct AddressRange {
    std::uint64_t address = 0;
    std::uint64_t size_bytes = 0;
    RangeTraits traits;
    std::uint64_t end() const { return end_address(address, size_bytes); }
};

/// The memory pools as analyses compare them: an unknown pool counts as the default pool. Keeps a reference to the snapshot.
class PoolNames {
public:
    explicit PoolNames(const Snapshot& snapshot);
    std::uint16_t default_pool() const { return default_; }
    std::uint16_t known(std::uint16_t pool) const { return pool == k_no_pool ? default_ : pool; }
    bool is_private(std::uint16_t pool) const { return known(pool) != default_; }
    std::string text(std::uint16_t pool) const;  ///< Formats a pool like a Python tuple: "(0, 0)"

private:
    const Snapshot& snapshot_;
    std::uint16_t default_;
};

/// Precomputed facts about a device that AddressWalk reads at each event: the allocation that an event is about, and the
/// ranges that exist at the end of the recording. Keeps references to the snapshot and the trace. Construction takes
/// O(events + allocations log allocations).
struct AddressFacts {
    static constexpr std::uint32_t k_none = 0xFFFFFFFF;

    AddressFacts(const Snapshot& the_snapshot, const DeviceTrace& the_trace);

    /// Returns the range that a segment event describes. Facts that the event lacks are taken from the final segment at its
    /// address, or guessed from the size of the event.
    AddressRange range_of_event(std::size_t event) const;

    const Snapshot& snapshot;
    const DeviceTrace& trace;
    AddressRanks ranks;
    AllocatorRules rules;
    PoolNames pools;
    std::vector<AddressRange> final_ranges;            ///< Ranges of the device's segments at the end, in file order
    std::vector<std::uint32_t> allocation_of_event;    ///< Allocation that each event starts or ends, or k_none
    std::vector<std::uint32_t> request_of_allocation;  ///< Event that requested the free of each allocation, or k_none
    /// The older allocation at the same address whose free was not recorded, or k_none; indexed by allocation.
    std::vector<std::uint32_t> replaced_by_allocation;
    std::vector<std::uint32_t> open_at_end;  ///< Allocation at each rank that is never freed, or k_none

private:
    void find_final_ranges();
    void pair_events();

    struct ByAddress {
        std::uint32_t range = 0;        ///< Index into `final_ranges`
        std::uint64_t highest_end = 0;  ///< Largest end address of this range and all ranges before it
    };
    std::vector<ByAddress> by_address_;
};

/// A set of small integers with fast search for the next or previous member. It is a bitmap with summary bitmaps above it,
/// so every operation takes a few nanoseconds. Allocates memory only in the constructor.
class RankSet {
public:
    static constexpr std::uint32_t k_none = 0xFFFFFFFF;

    /// Creates an empty set for numbers below `limit`.
    explicit RankSet(std::size_t limit) {
        do {
            limit = (limit + 63) / 64;
            levels_.emplace_back(limit == 0 ? 1 : limit);
        } while (limit > 1);
    }

    bool contains(std::uint32_t number) const { return (levels_[0][number / 64] >> (number % 64) & 1) != 0; }

    void insert(std::uint32_t number) {
        for (auto& level : levels_) {
            std::uint64_t& word = level[number / 64];
            const bool was_empty = word == 0;
            word |= std::uint64_t{1} << (number % 64);
            if (!was_empty) return;
            number /= 64;
        }
    }

    void erase(std::uint32_t number) {
        for (auto& level : levels_) {
            std::uint64_t& word = level[number / 64];
            word &= ~(std::uint64_t{1} << (number % 64));
            if (word != 0) return;
            number /= 64;
        }
    }

    /// The smallest member that is at least `number`, or k_none.
    std::uint32_t next_from(std::uint32_t number) const {
        for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
            const std::size_t word = number / 64;
            if (word >= levels_[depth].size()) return k_none;
            const std::uint64_t above = levels_[depth][word] >> (number % 64);
            if (above != 0) return descend(depth, number + static_cast<std::uint32_t>(std::countr_zero(above)), false);
            number = static_cast<std::uint32_t>(word) + 1;
        }
        return k_none;
    }

    /// The largest member that is at most `number`, or k_none.
    std::uint32_t last_up_to(std::uint32_t number) const {
        for (std::size_t depth = 0; depth < levels_.size(); ++depth) {
            const std::uint64_t below = levels_[depth][number / 64] << (63 - number % 64);
            if (below != 0) return descend(depth, number - static_cast<std::uint32_t>(std::countl_zero(below)), true);
            if (number < 64) return k_none;
            number = number / 64 - 1;
        }
        return k_none;
    }
    /// The largest member below `number`, or k_none.
    std::uint32_t last_below(std::uint32_t number) const { return number == 0 ? k_none : last_up_to(number - 1); }

private:
    /// Returns the smallest or the largest member below a set bit of a summary bitmap.
    std::uint32_t descend(std::size_t depth, std::uint32_t number, bool to_largest) const {
        while (depth-- > 0) {
            const std::uint64_t word = levels_[depth][number];
            number =
                number * 64 + static_cast<std::uint32_t>(to_largest ? 63 - std::countl_zero(word) : std::countr_zero(word));
        }
        return number;
    }

    /// Bitmap of the members, then summary bitmaps: each bit says whether a word of the previous level is not 0
    std::vector<std::vector<std::uint64_t>> levels_;
};

/// Ways in which the events and segments of a file can contradict each other.
enum class Contradiction : std::uint8_t {
    range_over_range,
    block_over_block,
    unmap_outside,
    live_in_no_segment,
    alloc_without_block,
    segment_alloc_without_segment,
    alloc_at_open_address,
    free_of_nothing,
    segment_free_of_used,
    segment_free_without_segment,
};
inline constexpr std::size_t k_contradictions = 10;
using ContradictionCounts = std::array<std::uint64_t, k_contradictions>;
const char* contradiction_text(Contradiction contradiction);  ///< Returns a short English name: "range over range"

/// How the size of a block is known.
enum class BlockSizeOrigin : std::uint8_t { unknown, file, split_rule, split_rule_at_start, cut, rounded };
const char* block_size_origin_text(BlockSizeOrigin origin);  ///< Returns a short English name: "split rule"

/// Size of a block, and how the size is known.
struct BlockSize {
    std::uint64_t bytes = 0;
    BlockSizeOrigin origin = BlockSizeOrigin::unknown;
};

/// The lifetime of a block. All times are moments, that is, numbers of events that have happened: moment 0 is before the
/// first event.
struct BlockLife {
    static constexpr std::uint32_t k_never = 0xFFFFFFFF;
    std::uint32_t rank = 0;
    std::uint32_t allocation = AddressFacts::k_none;
    std::uint64_t size_bytes = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = k_never;
    std::uint32_t pending_from = k_never;
};

/// The lifetime of an address range with a constant size. A range that grows or shrinks becomes a new range.
struct RangeLife {
    std::uint32_t rank = 0;
    AddressRange range;
    std::uint32_t begin = 0;
    std::uint32_t end = BlockLife::k_never;
};

/// The address space of a device while its events are undone or applied one by one: backwards from the file's segments, or
/// forwards from the state to which the backward walk leads. Follows the rules of PyTorch's caching allocator: mapped pages
/// join their neighbours, and a freed block that another stream uses stays pending. Keeps references to the facts and to the
/// sizes. An event takes about 50 ns.
class AddressWalk {
public:
    /// Creates an empty address space. `sizes` contains the size of each allocation's block; the walk writes the sizes that
    /// it computes to it.
    AddressWalk(const AddressFacts& facts, std::vector<BlockSize>& sizes);

    /// Sets the state of an empty walk to that at the end of the recording, according to the file's segments.
    void set_to_end();
    /// Copies the ranges and blocks of another walk into this walk, which must be empty.
    void set_to(const AddressWalk& other);
    /// Computes the unknown sizes of the blocks that exist now with the split rule.
    void determine_sizes();

    void undo(std::uint32_t event);
    /// Applies an event. If `settles` is true and the size of a new block is unknown, computes the size with the split rule
    /// first.
    void apply(std::uint32_t event, bool settles);

    /// Returns a hash of all ranges and blocks. Equal states have equal hashes; different states have different hashes
    /// except by chance.
    std::uint64_t digest() const { return digest_; }
    const ContradictionCounts& contradictions() const { return contradictions_; }
    /// Returns every block that has existed since this walk began, in the order of their appearance.
    std::vector<BlockLife>& blocks() { return blocks_; }
    std::vector<RangeLife>& ranges() { return ranges_; }
    /// Replaces `lives` with the indexes of the blocks that exist now, ordered by address.
    void list_blocks(std::vector<std::uint32_t>& lives) const { list(block_ranks_, block_at_, lives); }
    void list_ranges(std::vector<std::uint32_t>& lives) const { list(range_ranks_, range_at_, lives); }
    std::size_t block_count() const { return block_count_; }
    std::size_t range_count() const { return range_count_; }
    /// Returns how often the split rule was tested on a block of known size; right_guesses() returns how often it was right.
    std::uint64_t guesses() const { return guesses_; }
    std::uint64_t right_guesses() const { return right_guesses_; }

private:
    static constexpr std::uint32_t k_none = AddressFacts::k_none;

    static void list(const RankSet& set, const std::vector<std::uint32_t>& at, std::vector<std::uint32_t>& lives) {
        lives.clear();
        for (auto rank = set.next_from(0); rank != RankSet::k_none; rank = set.next_from(rank + 1))
            lives.push_back(at[rank]);
    }
    /// Counts a contradiction, unless the file lists no segments: then no event can contradict them.
    void note(Contradiction what) {
        if (!facts_.final_ranges.empty()) ++contradictions_[static_cast<std::size_t>(what)];
    }
    std::uint64_t size_of(std::uint32_t allocation) const;
    const AddressRange* range_around(std::uint32_t rank) const;
    BlockSize fit(std::uint32_t rank, std::uint64_t requested_bytes) const;
    void determine_size(std::uint32_t rank, std::uint32_t allocation);

    void add_block(std::uint32_t rank, std::uint64_t size_bytes, std::uint32_t allocation, bool is_pending);
    void drop_block(std::uint32_t rank);
    void mark(std::uint32_t rank, bool is_pending);
    void toggle_block(std::uint32_t rank);
    void add_range(std::uint32_t rank, const AddressRange& range);
    void drop_range(std::uint32_t rank);
    void map(std::uint32_t rank, AddressRange range);
    void unmap(std::uint32_t rank, std::uint64_t address, std::uint64_t size_bytes);
    bool is_used(std::uint32_t range_rank) const;
    void drop_block_or(std::uint32_t rank, Contradiction if_there_is_none);
    void drop_range_or(std::uint32_t rank, Contradiction if_there_is_none);

    const AddressFacts& facts_;
    std::vector<BlockSize>& sizes_;
    RankSet block_ranks_;
    RankSet range_ranks_;
    std::vector<std::uint32_t> block_at_;  ///< Index into `blocks_` for each rank
    std::vector<std::uint32_t> range_at_;  ///< Index into `ranges_` for each rank
    std::vector<BlockLife> blocks_;
    std::vector<RangeLife> ranges_;
    std::size_t block_count_ = 0;
    std::size_t range_count_ = 0;
    std::uint32_t moment_ = 0;
    std::uint64_t digest_ = 0;
    ContradictionCounts contradictions_{};
    std::uint64_t guesses_ = 0;
    std::uint64_t right_guesses_ = 0;
};

}  // namespace snapviewer::space
