#pragma once

#include <optional>
#include <string_view>

#include "app/features/palette/state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// Scores how well an entry matches the typed text, lower if only its synonyms match; nullopt if it does not match.
std::optional<int> match_entry(const PaletteEntry& entry, std::string_view typed);

/// Draws the palette on top of everything else while it is open, and issues the request of the chosen entry.
void draw_palette(PaletteState& state, Requests& requests);

}  // namespace snapviewer
