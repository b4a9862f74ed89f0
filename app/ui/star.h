#pragma once

#include <imgui.h>

namespace snapviewer {

/// Draws a five-pointed star as high as a letter: filled for a saved item, otherwise as an outline.
void draw_star(ImDrawList* list, ImVec2 middle, bool is_hovered, bool is_filled);

/// A button with a star on it, as high as the other buttons of its line. Returns true if it was clicked.
bool star_button(const char* id, bool is_filled);

}  // namespace snapviewer
