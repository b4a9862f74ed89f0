#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/mesh/mesh.h"

namespace snapviewer {

/// A name in the legend: all allocations of one stream, pool, category or module.
struct ColourGroup {
    std::string name;
    std::uint32_t colour = 0;  ///< 0xAABBGGRR
    std::size_t count = 0;     ///< of allocations
    std::uint64_t bytes = 0;   ///< of those alive at ColourGroups::tick
};

/// What a way of colouring tells apart by name. Groups without an allocation are left out.
struct ColourGroups {
    std::vector<ColourGroup> groups;
    std::vector<std::uint32_t> group_of;  ///< per allocation; empty where the colours have no names (stack, size, age)
    std::uint32_t tick = 0;               ///< whose live bytes are counted
};

/// The colour of what belongs to no group.
std::uint32_t grey_colour();

/// Whether allocations of this origin are drawn with stripes, because it is not recorded when they were alive.
bool is_hatched(Origin origin);

/// Counts the bytes of each group anew, of what is alive once a tick's change is made. O(live).
void count_live_bytes(ColourGroups& groups, const Timeline& timeline, std::uint32_t tick);

/// The colour of every stack of a file, and at the end that of what has none. O(frames of all stacks).
std::vector<std::uint32_t> stack_colours(const Snapshot& snapshot);

/// The colour of an allocation, worked out when it is asked for: what shows a few of many need not wait for all. A reader of
/// the timeline and of the groups, both of which must outlive it; any thread.
class AllocationColours {
public:
    /// By group where `groups` has any, else by stack, size or age; grey where the colouring has neither. O(frames of all
    /// stacks) at most.
    AllocationColours(const Timeline& timeline, ColourBy by, const ColourGroups& groups);
    /// By stack; `of_stacks` as stack_colours() gives it.
    AllocationColours(const Timeline& timeline, std::vector<std::uint32_t> of_stacks);

    /// How many allocations there are.
    std::size_t count() const { return allocations_.size(); }
    /// 0xAABBGGRR; its alpha is k_hatched_alpha where is_hatched().
    std::uint32_t of(AllocationId id) const;
    /// Of all of them, in drawing order. O(allocations).
    std::vector<std::uint32_t> all() const;

private:
    std::uint32_t full_colour(AllocationId id) const;

    const Timeline& timeline_;
    const AllocationColumns& allocations_;
    ColourBy by_;
    std::span<const std::uint32_t> group_of_;  ///< per allocation, into the palette; empty where there are no groups
    std::vector<std::uint32_t> palette_;       ///< of groups, of stacks or of sizes
    std::uint32_t grey_ = grey_colour();
};

/// The colour of the n-th group: neighbours can be told apart.
std::uint32_t group_colour(std::size_t index);
std::uint32_t slate_colour();  ///< of what was there before the recording: darker than the grey, and bluish
/// The same for a category; those of memory reports have colours of their own: greens, blue and grey.
std::uint32_t category_colour(std::string_view name, std::size_t index);

/// How a file is coloured at first: as the user likes it, but a memory report by category, which is what it is about.
ColourBy first_colouring(const Snapshot& snapshot, ColourBy wanted);

/// Why a colouring would show one colour alone, as a sentence; empty where it tells something. O(allocations) at worst.
std::string why_no_colours(const Timeline& timeline, ColourBy by);

/// As of the peak; none for kinds, which an analysis tells. O(allocations).
ColourGroups colour_groups(const Timeline& timeline, ColourBy by);

}  // namespace snapviewer
