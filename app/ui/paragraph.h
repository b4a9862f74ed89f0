#pragma once

#include <imgui.h>

#include <string>

namespace snapviewer {

/// Returns the text with line breaks in place of spaces, so that each line is at most `width_px` wide in the current font. A
/// word that is wider is broken. ImGui's own wrapping also breaks after full stops and commas, and so within "24.0 KiB" and
/// "model.py".
std::string text_in_lines(const std::string& text, float width_px);

/// Draws a text that is wrapped to the width of the current window.
void draw_paragraph(ImU32 colour, const std::string& text);

}  // namespace snapviewer
