#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>

#include "app/features/requests.h"
#include "core/mesh/colour_groups.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Height of the row that draw_group_legend() draws; 0 if the colours have no names.
float group_legend_height(const ColourGroups& groups);

/// Draws each colour with its meaning and its bytes at the moment for which they were counted, as far as they fit; the rest
/// is in a menu. A click asks to highlight one group.
void draw_group_legend(const ColourGroups& groups, const Timeline& timeline, std::optional<std::size_t> emphasised,
                       ImVec2 pos, float width, Requests& requests);

}  // namespace snapviewer
