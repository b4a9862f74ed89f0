#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <vector>

#include "app/ui/theme.h"

namespace snapviewer {

/// A rectangle in window pixels.
struct PixelBox {
    ImVec2 min, max;
};

/// Position of a tooltip: inside the picture, beside the described box, not under the mouse, and as close to the mouse as
/// possible. If there is no free place, covers as little of the described box as possible. With `sides_first`, prefers the
/// left and right sides to the space above and below.
ImVec2 place_tooltip(ImVec2 size, const PixelBox& described, const PixelBox& picture, ImVec2 mouse, float gap_px,
                     bool sides_first = false);

/// A part of a tooltip with its own colour; it is wrapped if it is too wide.
struct TooltipLine {
    std::string text;
    ImU32 colour = palette().text;
};

/// Draws a tooltip beside the described box, at most 360 pixels of the design wide and within `inside` or the window. Call
/// it in every frame in which the tooltip should be visible.
void tooltip_beside(const PixelBox& described, const std::vector<TooltipLine>& lines,
                    const std::optional<PixelBox>& inside = std::nullopt);
void tooltip_beside(const PixelBox& described, const std::string& text);

/// Draws a tooltip for the last ImGui item.
void item_tooltip(const std::string& text);
void item_tooltip(const std::vector<TooltipLine>& lines);
/// Draws a tooltip while the mouse is over the last ImGui item, even if that is disabled. No-op for an empty text.
void hover_tooltip(const std::string& text);

/// Draws a tooltip for a row of a list, which is the current window or table. The rows below stay visible, because the user
/// probably looks at them next: the tooltip goes beside the list, or above the row if the list fills the width.
void row_tooltip(const PixelBox& row, const std::string& text);
void row_tooltip(const std::string& text);  ///< The row is the last ImGui item.
void row_tooltip(const std::vector<TooltipLine>& lines);

/// True if the mouse is over the box and no other window covers the current one there. For drawings that are not ImGui
/// items.
bool is_mouse_at(const PixelBox& box);

/// Draws a tooltip for the place under the mouse.
void mouse_tooltip(const std::string& text);
PixelBox box_at_mouse();

}  // namespace snapviewer
