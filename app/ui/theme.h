#pragma once

#include <imgui.h>

#include <array>
#include <cstdint>

#include "core/mesh/greyed.h"

namespace snapviewer {

/// Every colour of the program except those of the allocations.
struct Palette {
    Ground ground = Ground::dark;
    ImU32 window, panel, raised, border;
    ImU32 popup, field, field_hovered, field_active, button_hovered, row_hovered, table_header, grip, grip_hovered,
        behind_dialog;
    ImU32 text, text_dim, text_faint;
    ImU32 accent, accent_soft;
    ImU32 picture;  ///< behind the allocations
    ImU32 canvas, grid, axis_text;
    ImU32 selection, selection_shadow, hover;
    ImU32 notice, notice_panel, danger, good;
    std::array<ImU32, 8> curves;  ///< over the picture; the first three of what was allocated, active and reserved
    ImU32 level;
    std::array<ImU32, 6> lines;  ///< one a rank, on a panel
    std::array<ImU32, 7> code;   ///< by SqlKind, on a field or a panel
};

/// What apply_look() keeps beside the ImGui context.
struct AppliedLook {
    const Palette* palette = nullptr;
    float units_per_pixel = 1;  ///< window units for a pixel of the design
};
AppliedLook& applied_look();

/// Of the theme that was applied last.
const Palette& palette();
ImVec4 to_vec4(ImU32 colour);

/// The colour, as opaque as alpha says: 0 is not seen, 255 covers what is below.
inline ImU32 with_alpha(ImU32 colour, ImU32 alpha) { return (colour & ~IM_COL32_A_MASK) | alpha << IM_COL32_A_SHIFT; }

/// On the colours of allocations, bars and bands, which are never dark, in either theme.
inline constexpr ImU32 k_ink = IM_COL32(0x10, 0x13, 0x18, 0xff);
inline constexpr ImU32 k_stripe_ink = IM_COL32(0x08, 0x0a, 0x0e, 0xb0);

/// How the interface looks.
struct Look {
    Ground ground = Ground::dark;
    float scale = 1;        ///< framebuffer pixels for a pixel of the design
    float pixel_ratio = 1;  ///< framebuffer pixels per window unit
    bool operator==(const Look&) const = default;
};

/// Sets the style and makes the fonts of the current ImGui context; between two frames.
void apply_look(const Look& look);

/// A length of the design, in the units of this window.
float scaled(float length_px);

}  // namespace snapviewer
