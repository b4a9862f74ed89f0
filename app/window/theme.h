#pragma once

#include <imgui.h>

namespace snapviewer {

/// Every colour of the program except those of the allocations.
struct Palette {
    ImU32 window, panel, raised, border;
    ImU32 text, text_dim, text_faint;
    ImU32 accent, accent_soft;
    ImU32 canvas, grid, axis_text;
    ImU32 selection, selection_shadow, hover;
    ImU32 notice, notice_panel, danger;
};

const Palette& palette();
ImVec4 to_vec4(ImU32 colour);

/// The colour, as opaque as alpha says: 0 is not seen, 255 covers what is below.
inline ImU32 with_alpha(ImU32 colour, ImU32 alpha) { return (colour & ~IM_COL32_A_MASK) | alpha << IM_COL32_A_SHIFT; }

/// Sets the style and loads the fonts into the current ImGui context. `content_scale` is the monitor's, `pixel_ratio`
/// framebuffer pixels per window unit.
void apply_theme(float content_scale, float pixel_ratio);

void push_font(ImFont* font);

/// A length made for a 15 px font, in the units of this window.
float scaled(float length_px);

}  // namespace snapviewer
