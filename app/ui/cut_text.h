#pragma once

#include <imgui.h>

#include <string>

namespace snapviewer {

/// The left edge for a text of this width that is centred at `middle` but stays between `from` and `to`. If the text does
/// not fit between them, it starts at `from`.
float text_left(float middle, float width, float from, float to);

/// Draws a text from `pos` to `right` at most; a text that is too wide ends in an ellipsis.
void draw_cut_text(ImDrawList* list, ImVec2 pos, float right, ImU32 colour, const std::string& text);

/// Returns the text, or its beginning and end around an ellipsis if it is wider than `width_px`.
std::string cut_in_middle(const std::string& text, float width_px);

/// Shortens "model.py:179 GPT.forward" to `width_px`: first the middle of the file name is cut, down to a few letters, then
/// the middle of the function name. The line number stays. Other texts are shortened by cut_in_middle().
std::string cut_stack_name(const std::string& name, float width_px);

}  // namespace snapviewer
