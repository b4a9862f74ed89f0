#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <vector>

#include "app/ui/theme.h"

namespace snapviewer {

/// A part of the screen, window pixels.
struct PixelBox {
    ImVec2 min, max;
};

/// Where a tooltip of a size goes: inside the picture, beside what it describes and not under the mouse, as near to the
/// mouse as that allows. Where what it describes leaves no room, where it hides least of it. `sides_first`: rather to the
/// left or the right of what it describes than above or below.
ImVec2 place_tooltip(ImVec2 size, const PixelBox& described, const PixelBox& picture, ImVec2 mouse, float gap_px,
                     bool sides_first = false);

/// A part of a tooltip with a colour of its own; it is wrapped where it is too wide.
struct TooltipLine {
    std::string text;
    ImU32 colour = palette().text;
};

/// Draws a tooltip, no wider than 360 pixels of the design, beside what it describes: inside the window, or a part of it.
/// To be called in every frame in which it is to be seen.
void tooltip_beside(const PixelBox& described, const std::vector<TooltipLine>& lines,
                    const std::optional<PixelBox>& inside = std::nullopt);
void tooltip_beside(const PixelBox& described, const std::string& text);

/// About the item that was drawn last.
void item_tooltip(const std::string& text);
void item_tooltip(const std::vector<TooltipLine>& lines);

/// About a row of a list, which is the current window or table. The rows below stay in sight, since they are what the reader
/// looks at next: the tooltip is beside the list, or above the row where the list takes all the width.
void row_tooltip(const PixelBox& row, const std::string& text);
void row_tooltip(const std::string& text);  ///< the row is the item that was drawn last
void row_tooltip(const std::vector<TooltipLine>& lines);

/// Whether the mouse is there, and no other window lies above the current one: for what is drawn without being an item.
bool is_mouse_at(const PixelBox& box);

/// About the place under the mouse.
void mouse_tooltip(const std::string& text);
PixelBox box_at_mouse();

}  // namespace snapviewer
