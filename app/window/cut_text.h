#pragma once

#include <imgui.h>

#include <string>

namespace snapviewer {

/// Text from `pos` to at most `right`, with an ellipsis where it is cut.
void draw_cut_text(ImDrawList* list, ImVec2 pos, float right, ImU32 colour, const std::string& text);

}  // namespace snapviewer
