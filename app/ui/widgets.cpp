#include "app/ui/widgets.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>  // the window with the keyboard focus: missing in imgui.h
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <system_error>

#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/keys.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"

namespace snapviewer {

bool click_area(const char* id, const ImVec2& size) {
    return ImGui::InvisibleButton(id, {std::max(size.x, 1.0F), std::max(size.y, 1.0F)});
}

namespace {

constexpr std::size_t k_corners = 10;
constexpr float k_inner = 0.42F;  // distance of the inner corners from the middle, relative to the radius

std::array<ImVec2, k_corners> star_corners(ImVec2 middle, float radius) {
    std::array<ImVec2, k_corners> corners;
    for (std::size_t i = 0; i < k_corners; ++i) {
        const float angle = static_cast<float>(i) * std::numbers::pi_v<float> / 5;
        const float distance = i % 2 == 0 ? radius : radius * k_inner;
        corners[i] = {middle.x + distance * std::sin(angle), middle.y - distance * std::cos(angle)};
    }
    return corners;
}

}  // namespace

void draw_star(ImDrawList* list, ImVec2 middle, bool is_hovered, bool is_filled) {
    const float radius = 0.42F * ImGui::GetTextLineHeight();
    const std::array<ImVec2, k_corners> corners = star_corners({middle.x, middle.y + 0.05F * radius}, radius);
    const ImU32 colour = is_filled || is_hovered ? palette().notice : palette().text_faint;
    if (is_filled) {
        for (std::size_t i = 0; i < k_corners; ++i)
            list->AddTriangleFilled(middle, corners[i], corners[(i + 1) % k_corners], colour);
    }
    list->AddPolyline(corners.data(), static_cast<int>(k_corners), colour, ImDrawFlags_Closed, scaled(1.2F));
}

bool star_button(const char* id, bool is_filled) {
    const float side = ImGui::GetFrameHeight();
    ImGui::PushID(id);
    const bool is_clicked = ImGui::Button("##star", {side, side});
    ImGui::PopID();
    const ImVec2 min = ImGui::GetItemRectMin();
    draw_star(ImGui::GetWindowDrawList(), {min.x + side / 2, min.y + side / 2}, ImGui::IsItemHovered(), is_filled);
    return is_clicked;
}

bool toggle_button(const std::string& words, bool is_on, const std::string& rect, const std::string& doc, ImVec2 size) {
    ImGui::PushStyleColor(ImGuiCol_Button, is_on ? palette().accent_soft : palette().raised);
    const bool is_clicked = ImGui::Button(words.c_str(), size);
    ImGui::PopStyleColor();
    observe_item(rect);
    if (!doc.empty() && ImGui::IsItemHovered()) item_tooltip(doc);
    return is_clicked;
}

std::optional<float> splitter(const char* id, ImVec2 size, const std::string& rect, bool is_vertical) {
    click_area(id, size);
    observe_item(rect);
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
        ImGui::SetMouseCursor(is_vertical ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
        ImGui::GetWindowDrawList()->AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), palette().accent_soft);
    }
    if (!ImGui::IsItemActive()) return std::nullopt;
    return is_vertical ? ImGui::GetIO().MouseDelta.x : ImGui::GetIO().MouseDelta.y;
}

void draw_stripes(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 colour) {
    list->PushClipRect(min, max, true);
    const float height = max.y - min.y;
    for (float x = min.x - height; x < max.x; x += scaled(6))
        list->AddLine({x, max.y}, {x + height, min.y}, colour, scaled(2));
    list->PopClipRect();
}

namespace {

/// Closes the current window on Esc. A text field in one of its child windows loses the focus first.
void close_on_escape(bool& is_open) {
    const bool has_keyboard = ImGui::IsWindowFocused() || (ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows) &&
                                                           !ImGui::GetIO().WantTextInput);
    if (has_keyboard && key_pressed(Key::escape)) is_open = false;
}

}  // namespace

bool begin_panel(const char* name, const Area& area, ImGuiWindowFlags flags) {
    ImGui::SetNextWindowPos(area.pos);
    ImGui::SetNextWindowSize(area.size);
    return ImGui::Begin(name, nullptr,
                        flags | ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                            ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings |
                            ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoFocusOnAppearing);
}

bool begin_focusable_panel(const char* name, const Area& area, Pane pane, std::optional<Pane>& next, Pane& focused,
                           ImGuiWindowFlags flags) {
    if (next == pane) {
        ImGui::SetNextWindowFocus();
        next.reset();
    }
    const bool is_shown = begin_panel(name, area, flags);
    if (ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows)) focused = pane;
    return is_shown;
}

bool begin_floating_window(const char* name, bool& is_open, ImGuiWindowFlags flags) {
    ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Appearing, {0.5F, 0.5F});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, ImGui::GetStyle().PopupRounding);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyleColorVec4(ImGuiCol_PopupBg));
    const bool is_shown =
        ImGui::Begin(name, &is_open, flags | ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings);
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(2);
    if (is_shown) close_on_escape(is_open);
    return is_shown;
}

bool begin_docked_window(const char* name, const Area& area, bool& is_open) {
    ImGui::SetNextWindowPos(area.pos);
    ImGui::SetNextWindowSize(area.size);
    const bool is_shown =
        ImGui::Begin(name, &is_open,
                     ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoMove |
                         ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoBringToFrontOnFocus);
    if (is_shown) close_on_escape(is_open);
    return is_shown;
}

/// True if a docked or floating window has the keyboard focus; of all windows, only these have a title bar.
bool window_has_keyboard() {
    const ImGuiWindow* const window = ImGui::GetCurrentContext()->NavWindow;
    return window != nullptr && (window->RootWindow->Flags & ImGuiWindowFlags_NoTitleBar) == 0;
}

namespace {

bool is_over(ImVec2 min, ImVec2 max) { return ImGui::IsMouseHoveringRect(min, max); }

void draw_cross(ImVec2 middle, ImU32 colour) {
    const float arm = scaled(3.5F);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddLine({middle.x - arm, middle.y - arm}, {middle.x + arm, middle.y + arm}, colour, scaled(1.4F));
    list->AddLine({middle.x - arm, middle.y + arm}, {middle.x + arm, middle.y - arm}, colour, scaled(1.4F));
}

}  // namespace

TabClick draw_tab(const TabLook& look, ImVec2 size, const std::string& rect, const std::string& cross_rect) {
    const ImVec2 min = ImGui::GetCursorScreenPos();
    const ImVec2 max(min.x + size.x, min.y + size.y);
    const ImVec2 cross_min(max.x - size.y, min.y);
    const bool is_pressed = click_area("tab", size);
    observe_item(rect);
    observe_item(cross_rect, cross_min.x, cross_min.y, max.x, max.y);
    const bool is_hovered = ImGui::IsItemHovered();
    const bool is_at_cross = is_hovered && is_over(cross_min, max);
    TabClick click = is_pressed ? (is_at_cross ? TabClick::close : TabClick::show) : TabClick::none;
    if (ImGui::IsItemClicked(ImGuiMouseButton_Middle)) click = TabClick::close;

    const Palette& colours = palette();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 ground = look.is_shown ? colours.panel : is_hovered ? colours.raised : colours.window;
    list->AddRectFilled(min, max, ground, scaled(4), ImDrawFlags_RoundCornersTop);
    if (look.is_shown) list->AddRectFilled(min, {max.x, min.y + scaled(2)}, colours.accent);
    const float left = min.x + scaled(10);
    const ImVec2 at(left, min.y + (size.y - ImGui::GetTextLineHeight()) / 2);
    const ImU32 ink = look.is_shown ? colours.text : colours.text_dim;
    if (look.is_path)
        list->AddText(at, ink, cut_in_middle(look.name, cross_min.x - left).c_str());
    else
        draw_cut_text(list, at, cross_min.x, ink, look.name);
    if (look.loaded) list->AddRectFilled({min.x, max.y - scaled(3)}, {min.x + *look.loaded * size.x, max.y}, colours.accent);
    if (look.is_shown || is_hovered)
        draw_cross({(cross_min.x + max.x) / 2, (min.y + max.y) / 2}, is_at_cross ? colours.text : colours.text_faint);
    if (is_hovered) item_tooltip(is_at_cross ? look.close_tooltip : look.tooltip);
    return click;
}

std::string path_to_save(const std::string& file, const char* extension, const char* suffix) {
    const std::string path = std::filesystem::path(file).replace_extension(extension).string();
    return path == file ? path + suffix : path;
}

bool draw_save_fields(std::string& path, const char* path_rect, const char* button_rect) {
    ImGui::SetNextItemWidth(scaled(420));
    ImGui::InputText("##path", &path);
    observe_item(path_rect);
    std::error_code ignored;
    ImGui::BeginDisabled(path.empty());
    const bool is_clicked = ImGui::Button(std::filesystem::exists(path, ignored) ? "Replace the file" : "Save");
    observe_item(button_rect);
    ImGui::EndDisabled();
    if (is_clicked) ImGui::CloseCurrentPopup();
    return is_clicked;
}

namespace {

constexpr float k_max_toast_width_px = 640;

}  // namespace

void draw_toasts(const Toasts& toasts, ImVec2 area_min, ImVec2 area_max) {
    ImDrawList* list = ImGui::GetForegroundDrawList();
    const ImVec2 padding(scaled(14), scaled(7));
    const float widest = std::min(scaled(k_max_toast_width_px), area_max.x - area_min.x - scaled(16));
    float bottom = area_max.y - scaled(14);
    for (std::size_t i = toasts.shown().size(); i-- > 0;) {
        const Toasts::Toast& toast = toasts.shown()[i];
        const auto faded = [alpha = Toasts::opacity(toast)](ImU32 colour) {
            return with_alpha(colour, static_cast<ImU32>(std::lround(alpha * 255)));
        };
        const std::string text = cut_in_middle(toast.text, widest - 2 * padding.x);
        const ImVec2 size = ImGui::CalcTextSize(text.c_str());
        const ImVec2 min(std::round((area_min.x + area_max.x - size.x) / 2 - padding.x), bottom - size.y - 2 * padding.y);
        const ImVec2 max(min.x + size.x + 2 * padding.x, bottom);
        list->AddRectFilled(min, max, faded(palette().text), scaled(6));
        list->AddText({min.x + padding.x, min.y + padding.y}, faded(palette().panel), text.c_str());
        observe_item(fmt::format("toast_{}", i), min.x, min.y, max.x, max.y);
        bottom = min.y - scaled(6);
    }
}

}  // namespace snapviewer
