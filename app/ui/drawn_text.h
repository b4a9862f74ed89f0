#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

namespace snapviewer {

/// The left edge for a text of this width that is centred at `middle` but stays between `from` and `to`. If the text does
/// not fit between them, it starts at `from`.
float text_left(float middle, float width, float from, float to);

/// Draws a text from `pos` to `right` at most; a text that is too wide ends in an ellipsis.
void draw_cut_text(ImDrawList* list, ImVec2 pos, float right, ImU32 colour, const std::string& text);

/// Draws a text on a rounded box that is larger than the text by `padding` on each side.
void draw_boxed_text(ImDrawList* list, ImVec2 pos, ImVec2 padding, ImU32 box_colour, ImU32 colour, const std::string& text);

/// Returns the text, or its beginning and end around an ellipsis if it is wider than `width_px`.
std::string cut_in_middle(const std::string& text, float width_px);

/// Shortens "model.py:179 GPT.forward" to `width_px`: first the middle of the file name is cut, down to a few letters, then
/// the middle of the function name. The line number stays. Other texts are shortened by cut_in_middle().
std::string cut_stack_name(const std::string& name, float width_px);

/// Returns the text with line breaks in place of spaces, so that each line is at most `width_px` wide in the current font. A
/// word that is wider is broken. ImGui's own wrapping also breaks after full stops and commas, and so within "24.0 KiB" and
/// "model.py".
std::string text_in_lines(const std::string& text, float width_px);

/// Add a text in a colour as an ImGui item. wrapped_text() lets ImGui wrap it at the right edge of the window.
void coloured_text(ImU32 colour, std::string_view text);
void dim_text(std::string_view text);
void wrapped_text(ImU32 colour, std::string_view text);

/// Draws a text that is wrapped to the width of the current window by text_in_lines().
void draw_paragraph(ImU32 colour, const std::string& text);

}  // namespace snapviewer
