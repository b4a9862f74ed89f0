#pragma once

#include <optional>
#include <string_view>

#include "app/features/palette/state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// How well an entry answers to what was typed; by its synonyms alone less well. nullopt: it does not.
std::optional<int> match_entry(const PaletteEntry& entry, std::string_view typed);

/// Draws it over everything else while it is open. What is chosen is asked for.
void draw_palette(PaletteState& state, Requests& requests);

}  // namespace snapviewer
