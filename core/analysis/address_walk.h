#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/analysis/address_facts.h"
#include "core/analysis/rank_set.h"

namespace snapviewer {

/// How events and segments of a file can contradict each other.
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
const char* contradiction_text(Contradiction contradiction);  ///< "range over range"

/// The source of a block's size.
enum class BlockSizeOrigin : std::uint8_t { unknown, file, split_rule, split_rule_at_start, cut, rounded };
const char* block_size_origin_text(BlockSizeOrigin origin);  ///< "split rule"

/// Bytes of a block, and how sure they are.
struct BlockSize {
    std::uint64_t bytes = 0;
    BlockSizeOrigin origin = BlockSizeOrigin::unknown;
};

/// A block from when it came to when it went. Moments are numbers of events that have happened: 0 is before the first.
struct BlockLife {
    static constexpr std::uint32_t k_never = 0xFFFFFFFF;
    std::uint32_t rank = 0;
    std::uint32_t allocation = AddressFacts::k_none;
    std::uint64_t size_bytes = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = k_never;
    std::uint32_t pending_from = k_never;
};

/// A range between two changes of its size.
struct RangeLife {
    std::uint32_t rank = 0;
    AddressRange range;
    std::uint32_t begin = 0;
    std::uint32_t end = BlockLife::k_never;
};

/// The address space of a device while its events are applied one by one: backwards from the file's segments, or forwards
/// from the state to which that leads. Follows the rules of PyTorch's caching allocator: mapped pages join their neighbours,
/// and a freed block that another stream uses stays pending. Keeps references to the facts and to the sizes. An event takes
/// about 50 ns.
class AddressWalk {
public:
    /// Empty. `sizes` are those of allocations' blocks.
    AddressWalk(const AddressFacts& facts, std::vector<BlockSize>& sizes);

    /// Sets the state at the end, according to the file's segments.
    void set_to_end();
    /// Copies the state of another walk.
    void set_to(const AddressWalk& other);
    /// Takes the sizes of blocks that are not known yet from the split rule.
    void settle_sizes();

    void undo(std::uint32_t event);
    void apply(std::uint32_t event);
    /// apply() that finds out the size of each block it meets by the split rule where nothing better is known.
    void apply_and_settle(std::uint32_t event);

    /// A hash of ranges and blocks: equal for equal states, and different otherwise except by chance.
    std::uint64_t digest() const { return digest_; }
    const ContradictionCounts& contradictions() const { return contradictions_; }
    /// Every block and range that there was since this walk began, by when they came.
    std::vector<BlockLife>& blocks() { return blocks_; }
    std::vector<RangeLife>& ranges() { return ranges_; }
    /// Lists the blocks that exist now, by address.
    void list_blocks(std::vector<std::uint32_t>& lives) const { list(block_ranks_, block_at_, lives); }
    void list_ranges(std::vector<std::uint32_t>& lives) const { list(range_ranks_, range_at_, lives); }
    std::size_t block_count() const { return block_count_; }
    std::size_t range_count() const { return range_count_; }
    /// How often the split rule was tried on a block of known size, and how often it was right.
    std::uint64_t guesses() const { return guesses_; }
    std::uint64_t right_guesses() const { return right_guesses_; }

private:
    static constexpr std::uint32_t k_none = AddressFacts::k_none;

    static void list(const RankSet& set, const std::vector<std::uint32_t>& at, std::vector<std::uint32_t>& lives) {
        lives.clear();
        for (auto rank = set.next_from(0); rank != RankSet::k_none; rank = set.next_from(rank + 1))
            lives.push_back(at[rank]);
    }
    /// A file that lists no segments has nothing that its events could contradict.
    void note(Contradiction what) {
        if (!facts_.final_ranges.empty()) ++contradictions_[static_cast<std::size_t>(what)];
    }
    std::uint64_t size_of(std::uint32_t allocation) const;
    const AddressRange* range_around(std::uint32_t rank) const;
    BlockSize fit(std::uint32_t rank, std::uint64_t requested_bytes) const;
    void settle(std::uint32_t rank, std::uint32_t allocation);

    void add_block(std::uint32_t rank, std::uint64_t size_bytes, std::uint32_t allocation, bool is_pending);
    void drop_block(std::uint32_t rank);
    void mark(std::uint32_t rank, bool is_pending);
    void toggle_block(std::uint32_t rank);
    void add_range(std::uint32_t rank, const AddressRange& range);
    void drop_range(std::uint32_t rank);
    void map(std::uint32_t rank, AddressRange range);
    void unmap(std::uint32_t rank, std::uint64_t address, std::uint64_t size_bytes);
    bool is_used(std::uint32_t range_rank) const;
    void apply_segment_event(std::uint32_t event, std::uint32_t rank);
    void undo_segment_event(std::uint32_t event, std::uint32_t rank);

    const AddressFacts& facts_;
    std::vector<BlockSize>& sizes_;
    RankSet block_ranks_;
    RankSet range_ranks_;
    std::vector<std::uint32_t> block_at_;  ///< by rank: into blocks_
    std::vector<std::uint32_t> range_at_;  ///< by rank: into ranges_
    std::vector<BlockLife> blocks_;
    std::vector<RangeLife> ranges_;
    std::size_t block_count_ = 0;
    std::size_t range_count_ = 0;
    std::uint32_t moment_ = 0;
    std::uint64_t digest_ = 0;
    ContradictionCounts contradictions_{};
    std::uint64_t guesses_ = 0;
    std::uint64_t right_guesses_ = 0;
    bool settles_ = false;
};

}  // namespace snapviewer
