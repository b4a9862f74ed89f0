#pragma once

#include <imgui.h>

#include <string>

namespace snapviewer {

/// The text with line ends where spaces were, so that each line is at most so wide in the current font. A word that is wider
/// is cut. ImGui's own wrapping also breaks after full stops and commas, and so through "24.0 KiB" and "model.py".
std::string text_in_lines(const std::string& text, float width_px);

/// Text in lines that fit into the current window.
void draw_paragraph(ImU32 colour, const std::string& text);

}  // namespace snapviewer
