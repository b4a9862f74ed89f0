#include "app/window/theme.h"

#include "app/window/fonts.h"

namespace snapviewer {
namespace {

float ui_scale = 1.0F;  // window units per unit of a 15 px design

constexpr Palette k_palette = {
    .window = IM_COL32(0x15, 0x17, 0x1b, 0xff),
    .panel = IM_COL32(0x1b, 0x1e, 0x24, 0xff),
    .raised = IM_COL32(0x29, 0x2e, 0x37, 0xff),
    .border = IM_COL32(0x2c, 0x31, 0x3a, 0xff),
    .text = IM_COL32(0xdf, 0xe3, 0xea, 0xff),
    .text_dim = IM_COL32(0x9a, 0xa3, 0xb2, 0xff),
    .text_faint = IM_COL32(0x6d, 0x76, 0x85, 0xff),
    .accent = IM_COL32(0x6c, 0xb6, 0xff, 0xff),
    .accent_soft = IM_COL32(0x2b, 0x4a, 0x6b, 0xff),
    .canvas = IM_COL32(0x12, 0x14, 0x18, 0xff),
    .grid = IM_COL32(0xff, 0xff, 0xff, 0x14),
    .axis_text = IM_COL32(0x9a, 0xa3, 0xb2, 0xff),
    .selection = IM_COL32(0xff, 0xff, 0xff, 0xff),
    .selection_shadow = IM_COL32(0x00, 0x00, 0x00, 0xa0),
    .hover = IM_COL32(0xff, 0xff, 0xff, 0x90),
    .notice = IM_COL32(0xf0, 0xc6, 0x74, 0xff),
    .notice_panel = IM_COL32(0x35, 0x2e, 0x1c, 0xff),
    .danger = IM_COL32(0xff, 0x7b, 0x72, 0xff),
};

void set_colours(ImGuiStyle& style) {
    const Palette& p = k_palette;
    const auto set = [&style](ImGuiCol slot, ImU32 colour) { style.Colors[slot] = to_vec4(colour); };
    set(ImGuiCol_Text, p.text);
    set(ImGuiCol_TextDisabled, p.text_faint);
    set(ImGuiCol_WindowBg, p.panel);
    set(ImGuiCol_ChildBg, IM_COL32(0, 0, 0, 0));
    set(ImGuiCol_PopupBg, IM_COL32(0x20, 0x24, 0x2b, 0xfa));
    set(ImGuiCol_Border, p.border);
    set(ImGuiCol_FrameBg, IM_COL32(0x12, 0x14, 0x18, 0xff));
    set(ImGuiCol_FrameBgHovered, IM_COL32(0x22, 0x27, 0x2f, 0xff));
    set(ImGuiCol_FrameBgActive, IM_COL32(0x26, 0x2c, 0x36, 0xff));
    set(ImGuiCol_TitleBg, p.window);
    set(ImGuiCol_TitleBgActive, p.window);
    set(ImGuiCol_TitleBgCollapsed, p.window);
    set(ImGuiCol_MenuBarBg, p.window);
    set(ImGuiCol_ScrollbarBg, IM_COL32(0, 0, 0, 0));
    set(ImGuiCol_ScrollbarGrab, IM_COL32(0x3a, 0x41, 0x4d, 0xff));
    set(ImGuiCol_ScrollbarGrabHovered, IM_COL32(0x4a, 0x53, 0x62, 0xff));
    set(ImGuiCol_ScrollbarGrabActive, IM_COL32(0x5a, 0x65, 0x77, 0xff));
    set(ImGuiCol_CheckMark, p.accent);
    set(ImGuiCol_SliderGrab, p.accent);
    set(ImGuiCol_SliderGrabActive, p.accent);
    set(ImGuiCol_Button, p.raised);
    set(ImGuiCol_ButtonHovered, IM_COL32(0x36, 0x3d, 0x49, 0xff));
    set(ImGuiCol_ButtonActive, p.accent_soft);
    set(ImGuiCol_Header, IM_COL32(0x2b, 0x4a, 0x6b, 0xc0));
    set(ImGuiCol_HeaderHovered, IM_COL32(0x2f, 0x36, 0x41, 0xff));
    set(ImGuiCol_HeaderActive, p.accent_soft);
    set(ImGuiCol_Separator, p.border);
    set(ImGuiCol_SeparatorHovered, p.accent);
    set(ImGuiCol_SeparatorActive, p.accent);
    set(ImGuiCol_ResizeGrip, p.border);
    set(ImGuiCol_ResizeGripHovered, p.accent);
    set(ImGuiCol_ResizeGripActive, p.accent);
    set(ImGuiCol_Tab, p.panel);
    set(ImGuiCol_TabHovered, p.raised);
    set(ImGuiCol_PlotHistogram, p.accent);
    set(ImGuiCol_TableHeaderBg, IM_COL32(0x22, 0x26, 0x2d, 0xff));
    set(ImGuiCol_TableBorderStrong, p.border);
    set(ImGuiCol_TableBorderLight, IM_COL32(0x25, 0x29, 0x31, 0xff));
    set(ImGuiCol_TableRowBg, IM_COL32(0, 0, 0, 0));
    set(ImGuiCol_TableRowBgAlt, IM_COL32(0xff, 0xff, 0xff, 0x06));
    set(ImGuiCol_TextSelectedBg, p.accent_soft);
    set(ImGuiCol_ModalWindowDimBg, IM_COL32(0, 0, 0, 0x90));
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

const Palette& palette() { return k_palette; }

ImVec4 to_vec4(ImU32 colour) { return ImGui::ColorConvertU32ToFloat4(colour); }

void apply_theme(float content_scale, float pixel_ratio) {
    ImGuiStyle& style = ImGui::GetStyle();
    style = ImGuiStyle();
    set_metrics(style);
    ui_scale = content_scale / pixel_ratio;
    style.ScaleAllSizes(ui_scale);
    set_colours(style);
    load_fonts(content_scale);
    ImGui::GetIO().FontGlobalScale = 1.0F / pixel_ratio;
}

void push_font(ImFont* font) {
#if IMGUI_VERSION_NUM >= 19200
    ImGui::PushFont(font, 0.0F);
#else
    ImGui::PushFont(font);
#endif
}

float scaled(float length_px) { return length_px * ui_scale; }

}  // namespace snapviewer
