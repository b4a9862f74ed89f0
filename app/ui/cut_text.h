#pragma once

#include <imgui.h>

#include <string>

namespace snapviewer {

/// Where a text of a width begins whose middle is at a place, or as near to that as it lies between `from` and `to`. Where
/// it has no room between them, that is `from`.
float text_left(float middle, float width, float from, float to);

/// Text from `pos` to at most `right`, with an ellipsis where it is cut.
void draw_cut_text(ImDrawList* list, ImVec2 pos, float right, ImU32 colour, const std::string& text);

/// A text no wider than `width_px`, with an ellipsis for its middle where it is cut.
std::string cut_in_middle(const std::string& text, float width_px);

/// "model.py:179 GPT.forward" no wider than `width_px`: the middle of the file's name goes first, down to a few letters,
/// then the middle of the function's; the line stays. Any other text as cut_in_middle().
std::string cut_stack_name(const std::string& name, float width_px);

}  // namespace snapviewer
