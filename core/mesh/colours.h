#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/mesh/mesh.h"
#include "core/timeline/emphasis.h"

namespace snapviewer::mesh {

/// A row of the legend: all allocations of one stream, pool, category or module.
struct ColourGroup {
    std::string name;
    std::uint32_t colour = 0;  ///< colour as 0xAABBGGRR
    std::size_t count = 0;     ///< number of allocations
    std::uint64_t bytes = 0;   ///< total size of the allocations that are live at ColourGroups::tick
};

/// The rows of the legend for one way of colouring. Contains only groups with allocations.
struct ColourGroups {
    std::vector<ColourGroup> groups;
    std::vector<std::uint32_t> group_of;  ///< group of each allocation; empty for stack, size and age, which have no names
    std::uint32_t tick = 0;               ///< the moment for which ColourGroup::bytes is counted
};

/// The colour of allocations that belong to no group.
std::uint32_t grey_colour();

/// True if allocations of this origin are drawn with stripes, because their lifetime was not recorded.
bool is_hatched(Origin origin);

/// Sets ColourGroup::bytes of all groups to the live bytes after the change of a tick. O(live allocations).
void count_live_bytes(ColourGroups& groups, const Timeline& timeline, std::uint32_t tick);

/// Returns the colour of each stack of a file, followed by the colour of allocations without a stack. O(frames of all
/// stacks).
std::vector<std::uint32_t> stack_colours(const Snapshot& snapshot);

/// Computes the colour of single allocations on demand, so that views of few allocations do not wait for all colours. Refers
/// to the timeline and to the groups, which must outlive it. Thread-safe.
class AllocationColours {
public:
    /// Uses the colours of `groups` if there are any, otherwise colours by stack, size or age, otherwise grey. O(frames of
    /// all stacks) at most.
    AllocationColours(const Timeline& timeline, ColourBy by, const ColourGroups& groups);
    /// Colours by stack. `of_stacks` is the result of stack_colours().
    AllocationColours(const Timeline& timeline, std::vector<std::uint32_t> of_stacks);

    /// Number of allocations.
    std::size_t count() const { return allocations_.size(); }
    /// Returns a colour as 0xAABBGGRR, with the alpha k_hatched_alpha if is_hatched().
    std::uint32_t of(AllocationId id) const;
    /// Returns the colours of all allocations in drawing order. O(allocations).
    std::vector<std::uint32_t> all() const;

private:
    std::uint32_t full_colour(AllocationId id) const;

    const Timeline& timeline_;
    const AllocationColumns& allocations_;
    ColourBy by_;
    std::span<const std::uint32_t> group_of_;  ///< index of each allocation in the palette; empty without groups
    std::vector<std::uint32_t> palette_;       ///< colours of groups, stacks or sizes
    std::uint32_t grey_ = grey_colour();
};

/// The colour of the n-th group. Neighbouring groups have clearly different colours.
std::uint32_t group_colour(std::size_t index);
/// The colour of memory that was allocated before the recording began: darker than grey_colour(), and bluish.
std::uint32_t slate_colour();
/// The colour of the n-th category. The categories of memory reports have fixed colours: greens, blue and grey.
std::uint32_t category_colour(std::string_view name, std::size_t index);

/// Returns the initial colouring of a file: the one that the user prefers, except for memory reports, whose subject is the
/// categories.
ColourBy first_colouring(const Snapshot& snapshot, ColourBy wanted);

/// Returns a sentence that explains why a colouring would use a single colour; empty if it uses several. O(allocations).
std::string why_no_colours(const Timeline& timeline, ColourBy by);

/// Returns the groups of a colouring, with live bytes at the peak. Empty for kinds, which only an analysis knows. Modules
/// are those of the level that informative_depth() chooses for the peak. O(allocations + modules).
ColourGroups colour_groups(const Timeline& timeline, ColourBy by);

/// The background of a picture.
enum class ThemeVariant : std::uint8_t { dark, light };

/// Returns the colour of an allocation that is not highlighted: a grey close to the background that keeps some of the
/// brightness of `colour` (0xAABBGGRR). shaders/colours.glsl computes the same value.
std::uint32_t greyed(std::uint32_t colour, ThemeVariant theme);
/// The grey level, 0 to 255, that greyed() returns for black.
std::uint32_t darkest_grey(ThemeVariant theme);

/// Replaces the colours of all allocations that are not highlighted by greyed(). `colours` has one entry per allocation.
void grey_others(std::vector<std::uint32_t>& colours, const Emphasis& emphasis, ThemeVariant theme = ThemeVariant::dark);

}  // namespace snapviewer::mesh
