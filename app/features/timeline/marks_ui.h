#pragma once

#include <imgui.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/features/requests.h"
#include "app/features/timeline/stack_names.h"
#include "app/features/timeline/state.h"
#include "app/features/timeline/timeline_axis.h"
#include "core/mesh/colours.h"
#include "core/timeline/emphasis.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Returns the minimum size on the screen that a block needs for a name.
mesh::LabelRectLimits room_for_names(const Projection& canvas);

/// The name of a block, with its rectangle on the screen.
struct PlacedName {
    AllocationId id;
    std::string text;
    ScreenPoint min, max;
    bool is_layer = false, is_hatched = false;  ///< see NamedBlock
};

/// Places in each block as many of function, source line and size as fit, or nothing if not even the size fits. A layer that
/// is too narrow gets its name beside it. If allocations are highlighted, only those get names. Cost: proportional to the
/// number of names.
std::vector<PlacedName> placed_names(const NamedBlocks& names, const Projection& projection, const Emphasis* highlighted);
void draw_block_names(ImDrawList* list, const std::vector<PlacedName>& names, const Projection& projection);

/// Height of the row that draw_group_legend() draws; 0 if the colours have no names.
float group_legend_height(const mesh::ColourGroups& groups);

/// Draws each colour with its meaning and its bytes at the moment for which they were counted, as far as they fit; the rest
/// is in a menu. A click asks to highlight one group.
void draw_group_legend(const mesh::ColourGroups& groups, const Timeline& timeline, std::optional<std::size_t> highlighted,
                       ImVec2 pos, float width, Requests& requests);

/// Draws ticks at the top of the picture where search hits begin that are too small to be visible.
void draw_hit_marks(ImDrawList* list, HitMarks& marks, const std::shared_ptr<const Hits>& hits, const Timeline& timeline,
                    Axis axis, const Projection& projection);

/// Draws a pointer with a few words at the visible part of an allocation.
void draw_hit_pointer(ImDrawList* list, const Projection& projection, const Outline& outline, const std::string& words);

/// Returns the flag under a pixel; if several overlap, the one drawn last.
std::optional<std::size_t> note_under(std::span<const NoteFlag> flags, const Projection& canvas, ImVec2 mouse);

/// Draws the flags of the notes whose places are in view. Reports them as "note_0", "note_1", ...
void draw_note_flags(ImDrawList* list, std::span<const NoteFlag> flags, const Projection& canvas,
                     std::optional<std::size_t> hovered);

/// Draws the first line of each note beside its flag, for a picture that is saved to a file and has no tooltips.
void draw_note_words(ImDrawList* list, std::span<const NoteFlag> flags, const Projection& canvas);

}  // namespace snapviewer
