#pragma once

#include <imgui.h>

#include <array>
#include <cstdint>

#include "core/mesh/colours.h"

namespace snapviewer {

/// All colours of the program except those of the allocations.
struct Palette {
    mesh::ThemeVariant ground = mesh::ThemeVariant::dark;
    ImU32 window, panel, raised, border;
    ImU32 popup, field, field_hovered, field_active, button_hovered, row_hovered, table_header, grip, grip_hovered,
        behind_dialog;
    ImU32 text, text_dim, text_faint;
    ImU32 accent, accent_soft;
    ImU32 picture;  ///< background of the allocations
    ImU32 canvas, grid, axis_text;
    ImU32 selection, selection_shadow, hover;
    ImU32 notice, notice_panel, danger, good;
    std::array<ImU32, 8> curves;  ///< curves over the picture; the first three are allocated, active and reserved memory
    ImU32 level;
    std::array<ImU32, 6> lines;  ///< one colour per rank, on a panel
    std::array<ImU32, 7> code;   ///< colours by SqlKind, on a field or a panel
};

/// State of apply_look() that is stored outside of the ImGui context.
struct AppliedLook {
    const Palette* palette = nullptr;
    float units_per_pixel = 1;  ///< window units per pixel of the design
};
AppliedLook& applied_look();

/// The colours of the theme that was applied last.
const Palette& palette();
ImVec4 to_vec4(ImU32 colour);

/// Replaces the alpha of a colour: 0 is transparent, 255 is opaque.
inline ImU32 with_alpha(ImU32 colour, ImU32 alpha) { return (colour & ~IM_COL32_A_MASK) | alpha << IM_COL32_A_SHIFT; }

/// Text colour on allocations, bars and bands, which are never dark in either theme.
inline constexpr ImU32 k_ink = IM_COL32(0x10, 0x13, 0x18, 0xff);
inline constexpr ImU32 k_stripe_ink = IM_COL32(0x08, 0x0a, 0x0e, 0xb0);

/// Theme and scale of the interface.
struct Look {
    mesh::ThemeVariant ground = mesh::ThemeVariant::dark;
    float scale = 1;        ///< framebuffer pixels per pixel of the design
    float pixel_ratio = 1;  ///< framebuffer pixels per window unit
    bool operator==(const Look&) const = default;
};

/// Sets the style and builds the fonts of the current ImGui context. Call it between two frames.
void apply_look(const Look& look);

/// Converts a length of the design to units of this window.
float scaled(float length_px);

}  // namespace snapviewer
