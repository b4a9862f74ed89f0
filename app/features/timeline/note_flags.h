#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <span>

#include "app/features/timeline/projection.h"
#include "app/features/timeline/state.h"

namespace snapviewer {

/// The flag under a pixel; of several the one drawn last.
std::optional<std::size_t> note_under(std::span<const NoteFlag> flags, const Projection& canvas, ImVec2 mouse);

/// Small flags at their places, as far as these are in view. Reported as "note_0", "note_1", ...
void draw_note_flags(ImDrawList* list, std::span<const NoteFlag> flags, const Projection& canvas,
                     std::optional<std::size_t> hovered);

/// The first line of each beside its flag, for a picture over which no mouse goes.
void draw_note_words(ImDrawList* list, std::span<const NoteFlag> flags, const Projection& canvas);

}  // namespace snapviewer
