#pragma once

#include <imgui.h>

#include <string>

namespace snapviewer {

/// Text from `pos` to at most `right`, with an ellipsis where it is cut.
void draw_cut_text(ImDrawList* list, ImVec2 pos, float right, ImU32 colour, const std::string& text);

/// A text no wider than `width_px`, with an ellipsis for its middle where it is cut.
std::string cut_in_middle(const std::string& text, float width_px);

}  // namespace snapviewer
