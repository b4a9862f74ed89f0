#pragma once

#include <cstddef>
#include <cstdint>
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

/// Whether allocations of this origin are drawn with stripes, because it is not recorded when they were alive.
bool is_hatched(Origin origin);

/// Counts the bytes of each group anew, of what is alive once a tick's change is made. O(live).
void count_live_bytes(ColourGroups& groups, const Timeline& timeline, std::uint32_t tick);
/// Every allocation in the colour of its group, in drawing order. Only where the colours have names. O(allocations).
std::vector<std::uint32_t> colours_of_groups(const Timeline& timeline, const ColourGroups& groups);

/// The colour of every stack of a file, and at the end that of what has none. O(frames of all stacks).
std::vector<std::uint32_t> stack_colours(const Snapshot& snapshot);
/// Every allocation in the colour of its stack, in drawing order; `of_stacks` as stack_colours() gives it. O(allocations).
std::vector<std::uint32_t> colours_of_stacks(const Timeline& timeline, const std::vector<std::uint32_t>& of_stacks);

/// The colour of the n-th group: neighbours can be told apart. And of what belongs to none.
std::uint32_t group_colour(std::size_t index);
std::uint32_t grey_colour();
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
