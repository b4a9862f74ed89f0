#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>

#include "app/features/requests.h"
#include "core/mesh/colour_groups.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Height of the row that draw_group_legend draws; 0 where the colours have no names.
float group_legend_height(const ColourGroups& groups);

/// What each colour stands for, with its bytes at the moment that they were counted for, as far as there is room, the rest
/// in a menu. A click lets one group alone stand out.
void draw_group_legend(const ColourGroups& groups, const Timeline& timeline, std::optional<std::size_t> emphasised,
                       ImVec2 pos, float width, Requests& requests);

}  // namespace snapviewer
