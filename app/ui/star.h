#pragma once

#include <imgui.h>

namespace snapviewer {

/// A star with five points around a place, as high as a letter: filled for what is saved, otherwise its outline.
void draw_star(ImDrawList* list, ImVec2 middle, bool is_hovered, bool is_filled);

/// A button as high as the others in its line, with such a star on it. Returns whether it was clicked.
bool star_button(const char* id, bool is_filled);

}  // namespace snapviewer
