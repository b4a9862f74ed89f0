#pragma once

#include <imgui.h>

namespace snapviewer {

/// A part of the screen, window pixels.
struct PixelBox {
    ImVec2 min, max;
};

/// Where a tooltip of a size goes: inside the picture, beside what it describes and not under the mouse, as near to the
/// mouse as that allows. Where what it describes leaves no room, where it hides least of it.
ImVec2 place_tooltip(ImVec2 size, const PixelBox& described, const PixelBox& picture, ImVec2 mouse, float gap_px);

}  // namespace snapviewer
