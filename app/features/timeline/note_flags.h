#pragma once

#include <imgui.h>

#include <cstddef>
#include <optional>
#include <span>

#include "app/features/timeline/projection.h"
#include "app/features/timeline/state.h"

namespace snapviewer {

/// Returns the flag under a pixel; if several overlap, the one drawn last.
std::optional<std::size_t> note_under(std::span<const NoteFlag> flags, const Projection& canvas, ImVec2 mouse);

/// Draws the flags of the notes whose places are in view. Reports them as "note_0", "note_1", ...
void draw_note_flags(ImDrawList* list, std::span<const NoteFlag> flags, const Projection& canvas,
                     std::optional<std::size_t> hovered);

/// Draws the first line of each note beside its flag, for a picture that is saved to a file and has no tooltips.
void draw_note_words(ImDrawList* list, std::span<const NoteFlag> flags, const Projection& canvas);

}  // namespace snapviewer
