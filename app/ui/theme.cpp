#include "app/ui/theme.h"

#include "app/ui/fonts.h"

namespace snapviewer {
namespace {

/// Opaque colour from 0xRRGGBB, unless `alpha` is given.
constexpr ImU32 rgb(ImU32 hex, ImU32 alpha = 0xff) { return IM_COL32(hex >> 16 & 0xff, hex >> 8 & 0xff, hex & 0xff, alpha); }

constexpr Palette k_dark = {
    .ground = mesh::ThemeVariant::dark,
    .window = rgb(0x15171b),
    .panel = rgb(0x1b1e24),
    .raised = rgb(0x292e37),
    .border = rgb(0x2c313a),
    .popup = rgb(0x20242b, 0xfa),
    .field = rgb(0x121418),
    .field_hovered = rgb(0x22272f),
    .field_active = rgb(0x262c36),
    .button_hovered = rgb(0x363d49),
    .row_hovered = rgb(0x2f3641),
    .table_header = rgb(0x22262d),
    .grip = rgb(0x3a414d),
    .grip_hovered = rgb(0x5a6577),
    .behind_dialog = rgb(0x000000, 0x90),
    .text = rgb(0xdfe3ea),
    .text_dim = rgb(0x9aa3b2),
    .text_faint = rgb(0x6d7685),
    .accent = rgb(0x6cb6ff),
    .accent_soft = rgb(0x2b4a6b),
    .picture = rgb(0x14171c),
    .canvas = rgb(0x121418),
    .grid = rgb(0xffffff, 0x14),
    .axis_text = rgb(0x9aa3b2),
    .selection = rgb(0xffffff),
    .selection_shadow = rgb(0x000000, 0xa0),
    .hover = rgb(0xffffff, 0x90),
    .notice = rgb(0xf0c674),
    .notice_panel = rgb(0x352e1c),
    .danger = rgb(0xff7b72),
    .good = rgb(0x7ee2a8),
    .curves = {rgb(0xffffff), rgb(0x5cd9e8), rgb(0xd29bff), rgb(0xffa657), rgb(0xb5e06c), rgb(0x7fa8ff), rgb(0xff9cc2),
               rgb(0x6ee7b7)},
    .level = rgb(0xff9e8c),
    .lines = {rgb(0x6cb6ff), rgb(0xf0c674), rgb(0x8ddb8c), rgb(0xff7b72), rgb(0xd2a8ff), rgb(0x76e3ea)},
    .code = {rgb(0x6cb6ff), rgb(0x7ee2a8), rgb(0xd2a8ff), rgb(0xf0c674), rgb(0xffa657), rgb(0x7d8797), rgb(0x76e3ea)},
};

constexpr Palette k_light = {
    .ground = mesh::ThemeVariant::light,
    .window = rgb(0xe9ebef),
    .panel = rgb(0xf7f8fa),
    .raised = rgb(0xdde1e8),
    .border = rgb(0xc9ced8),
    .popup = rgb(0xeff2f6, 0xfa),
    .field = rgb(0xffffff),
    .field_hovered = rgb(0xf0f3f8),
    .field_active = rgb(0xe6ecf5),
    .button_hovered = rgb(0xcdd4df),
    .row_hovered = rgb(0xe1e7f0),
    .table_header = rgb(0xe6e9ee),
    .grip = rgb(0xbcc3ce),
    .grip_hovered = rgb(0x99a3b3),
    .behind_dialog = rgb(0x1b1e24, 0x50),
    .text = rgb(0x1b1f26),
    .text_dim = rgb(0x4d5766),
    .text_faint = rgb(0x727c8c),
    .accent = rgb(0x0b62bd),
    .accent_soft = rgb(0xbcd9f7),
    .picture = rgb(0xfbfcfd),
    .canvas = rgb(0xfbfcfd),
    .grid = rgb(0x000000, 0x16),
    .axis_text = rgb(0x4d5766),
    .selection = rgb(0x000000),
    .selection_shadow = rgb(0xffffff, 0xd0),
    .hover = rgb(0x000000, 0x90),
    .notice = rgb(0x8f5a00),
    .notice_panel = rgb(0xfcefcf),
    .danger = rgb(0xc4281c),
    .good = rgb(0x12783e),
    .curves = {rgb(0x14171c), rgb(0x007a8c), rgb(0x7d2ec9), rgb(0xb35300), rgb(0x4f7d00), rgb(0x2f55d4), rgb(0xb8246a),
               rgb(0x00805a)},
    .level = rgb(0xb5331c),
    .lines = {rgb(0x0b62bd), rgb(0x8f5a00), rgb(0x2c7d2b), rgb(0xc4281c), rgb(0x7d2ec9), rgb(0x007a8c)},
    .code = {rgb(0x0b62bd), rgb(0x12783e), rgb(0x7d2ec9), rgb(0x8f5a00), rgb(0xb33b00), rgb(0x6a7382), rgb(0x007a8c)},
};

void set_colours(ImGuiStyle& style, const Palette& p) {
    const auto set = [&style](ImGuiCol slot, ImU32 colour) { style.Colors[slot] = to_vec4(colour); };
    set(ImGuiCol_Text, p.text);
    set(ImGuiCol_TextDisabled, p.text_faint);
    set(ImGuiCol_WindowBg, p.panel);
    set(ImGuiCol_ChildBg, IM_COL32_BLACK_TRANS);
    set(ImGuiCol_PopupBg, p.popup);
    set(ImGuiCol_Border, p.border);
    set(ImGuiCol_FrameBg, p.field);
    set(ImGuiCol_FrameBgHovered, p.field_hovered);
    set(ImGuiCol_FrameBgActive, p.field_active);
    set(ImGuiCol_TitleBg, p.window);
    set(ImGuiCol_TitleBgActive, p.window);
    set(ImGuiCol_TitleBgCollapsed, p.window);
    set(ImGuiCol_MenuBarBg, p.window);
    set(ImGuiCol_ScrollbarBg, IM_COL32_BLACK_TRANS);
    set(ImGuiCol_ScrollbarGrab, p.grip);
    set(ImGuiCol_ScrollbarGrabHovered, p.grip_hovered);
    set(ImGuiCol_ScrollbarGrabActive, p.grip_hovered);
    set(ImGuiCol_CheckMark, p.accent);
    set(ImGuiCol_SliderGrab, p.accent);
    set(ImGuiCol_SliderGrabActive, p.accent);
    set(ImGuiCol_Button, p.raised);
    set(ImGuiCol_ButtonHovered, p.button_hovered);
    set(ImGuiCol_ButtonActive, p.accent_soft);
    set(ImGuiCol_Header, with_alpha(p.accent_soft, 0xc0));
    set(ImGuiCol_HeaderHovered, p.row_hovered);
    set(ImGuiCol_HeaderActive, p.accent_soft);
    set(ImGuiCol_Separator, p.border);
    set(ImGuiCol_SeparatorHovered, p.accent);
    set(ImGuiCol_SeparatorActive, p.accent);
    set(ImGuiCol_ResizeGrip, p.border);
    set(ImGuiCol_ResizeGripHovered, p.accent);
    set(ImGuiCol_ResizeGripActive, p.accent);
    set(ImGuiCol_Tab, p.panel);
    set(ImGuiCol_TabHovered, p.raised);
    set(ImGuiCol_TabActive, p.accent_soft);
    set(ImGuiCol_TabUnfocused, p.panel);
    set(ImGuiCol_TabUnfocusedActive, p.accent_soft);
    set(ImGuiCol_PlotHistogram, p.accent);
    set(ImGuiCol_TableHeaderBg, p.table_header);
    set(ImGuiCol_TableBorderStrong, p.border);
    set(ImGuiCol_TableBorderLight, with_alpha(p.border, 0xa0));
    set(ImGuiCol_TableRowBg, IM_COL32_BLACK_TRANS);
    set(ImGuiCol_TableRowBgAlt, with_alpha(p.text, 0x07));
    set(ImGuiCol_TextSelectedBg, p.accent_soft);
    set(ImGuiCol_NavHighlight, p.accent);
    set(ImGuiCol_ModalWindowDimBg, p.behind_dialog);
}

void set_metrics(ImGuiStyle& style) {
    style.WindowPadding = {12, 10};
    style.FramePadding = {9, 5};
    style.ItemSpacing = {8, 6};
    style.ItemInnerSpacing = {6, 4};
    style.CellPadding = {6, 3};
    style.IndentSpacing = 18;
    style.ScrollbarSize = 12;
    style.WindowRounding = 0;
    style.ChildRounding = 4;
    style.PopupRounding = 6;
    style.FrameRounding = 4;
    style.GrabRounding = 4;
    style.ScrollbarRounding = 6;
    style.WindowBorderSize = 0;
    style.PopupBorderSize = 1;
    style.WindowTitleAlign = {0.02F, 0.5F};
}

}  // namespace

AppliedLook& applied_look() {
    static AppliedLook instance{.palette = &k_dark};
    return instance;
}

const Palette& palette() { return *applied_look().palette; }

ImVec4 to_vec4(ImU32 colour) { return ImGui::ColorConvertU32ToFloat4(colour); }

void apply_look(const Look& look) {
    applied_look() = {look.ground == mesh::ThemeVariant::light ? &k_light : &k_dark, look.scale / look.pixel_ratio};
    ImGuiStyle& style = ImGui::GetStyle();
    style = ImGuiStyle();
    set_metrics(style);
    style.ScaleAllSizes(applied_look().units_per_pixel);
    set_colours(style, palette());
    load_fonts(look.scale);
    ImGui::GetIO().FontGlobalScale = 1.0F / look.pixel_ratio;
}

float scaled(float length_px) { return length_px * applied_look().units_per_pixel; }

}  // namespace snapviewer
