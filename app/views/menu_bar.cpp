#include "app/views/menu_bar.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <utility>

#include "app/state/actions.h"
#include "app/window/layout.h"
#include "app/window/state_report.h"
#include "app/window/theme.h"
#include "app/window/tooltip.h"

namespace snapviewer {
namespace {

void tooltip_even_disabled(const std::string& text) {
    if (!text.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) item_tooltip(text);
}

/// Reports the rectangle while the menu is closed; once it is open, ImGui's last item is the menu's window.
bool begin_menu(const char* label, const char* rect, bool is_enabled = true) {
    const bool is_open = ImGui::BeginMenu(label, is_enabled);
    if (!is_open) report_rect(rect);
    return is_open;
}

Request open_recent(const std::string& path, bool in_tab) {
    return in_tab ? Request(OpenInTab{path}) : Request(OpenFile{path});
}

void draw_recent_menu(const std::vector<std::string>& recent_files, Requests& requests) {
    if (!begin_menu("Open Recent", "menu_file_recent", !recent_files.empty())) return;
    for (std::size_t i = 0; i < recent_files.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        if (ImGui::MenuItem(recent_files[i].c_str())) requests.ask(open_recent(recent_files[i], ImGui::GetIO().KeyCtrl));
        if (ImGui::IsItemClicked(ImGuiMouseButton_Middle)) {
            requests.ask(OpenInTab{recent_files[i]});
            ImGui::CloseCurrentPopup();
        }
        report_rect("menu_file_recent_" + std::to_string(i));
        ImGui::PopID();
    }
    ImGui::EndMenu();
}

void draw_overlay_menu(const AppState& state, Requests& requests) {
    const std::vector<OverlayItem> overlays = state.current_timeline()
                                                  ? overlay_items(state.current_overlays(), state.settings.overlays)
                                                  : std::vector<OverlayItem>();
    if (!begin_menu("Overlays", "menu_view_overlays", !overlays.empty())) return;
    for (const OverlayItem& overlay : overlays) {
        if (ImGui::MenuItem(overlay.name.c_str(), nullptr, overlay.is_shown)) {
            requests.ask(ShowOverlay{overlay.id, !overlay.is_shown});
        }
        report_rect("menu_overlay_" + overlay.id);
        tooltip_even_disabled(overlay.doc);
    }
    ImGui::EndMenu();
}

void draw_action(const UserAction& action, const AppState& state, Requests& requests) {
    const std::string words = action_words(action, state);
    const bool is_on = action.is_on != nullptr && action.is_on(state);
    if (ImGui::MenuItem(words.c_str(), action.keys[0] == '\0' ? nullptr : action.keys, is_on, action.is_possible(state)))
        requests.ask(action.request);
    report_rect(std::string("menu_") + action.id);
    if (action.doc != nullptr) tooltip_even_disabled(action.doc(state));
}

void draw_actions(Menu menu, const AppState& state, Requests& requests) {
    bool is_first = true;
    for (const UserAction& action : all_actions()) {
        if (action.menu != menu) continue;
        if (action.begins_group && !is_first) ImGui::Separator();
        is_first = false;
        draw_action(action, state, requests);
    }
}

void draw_menu(Menu menu, const char* rect, const AppState& state, Requests& requests) {
    if (!begin_menu(menu_title(menu), rect, menu != Menu::colour || state.current_timeline() != nullptr)) return;
    if (menu == Menu::file) draw_recent_menu(state.settings.recent_files, requests);
    draw_actions(menu, state, requests);
    if (menu == Menu::view) {
        ImGui::Separator();
        draw_menu(Menu::colour, "menu_view_colour", state, requests);
        draw_menu(Menu::theme, "menu_view_theme", state, requests);
        draw_overlay_menu(state, requests);
    }
    ImGui::EndMenu();
}

constexpr std::array k_kinds = {ViewKind::allocations, ViewKind::segments, ViewKind::pools};
constexpr std::array k_kind_labels = {"Allocations", "Segments", "Pools"};

float combo_width(const char* text) { return ImGui::CalcTextSize(text).x + scaled(48); }

/// What is shown of the device, so far from the right edge.
void draw_kind_switch(const AppState& state, float from_right, Requests& requests) {
    const float width = combo_width(k_kind_labels[0]);
    ImGui::SameLine(ImGui::GetWindowWidth() - width - from_right);
    ImGui::SetNextItemWidth(width);
    if (!ImGui::BeginCombo("##shown", k_kind_labels[static_cast<std::size_t>(state.current_kind())])) {
        tooltip_even_disabled("What is shown of the device (V)");
        report_rect("shows");
        return;
    }
    const std::vector<std::string> names = view_kind_names();
    for (const ViewKind kind : k_kinds) {
        const auto index = static_cast<std::size_t>(kind);
        const std::string& why_not = state.devices[state.device_index].why_not[index];
        const auto flags = why_not.empty() ? ImGuiSelectableFlags_None : ImGuiSelectableFlags_Disabled;
        if (ImGui::Selectable(k_kind_labels[index], state.current_kind() == kind, flags)) requests.ask(ShowView{kind});
        report_rect("shows_" + names[index]);
        tooltip_even_disabled(why_not.empty() ? view_kind_doc(kind) : why_not);
    }
    ImGui::EndCombo();
}

/// What is shown and of which device, where there is a choice.
void draw_switches(const AppState& state, Requests& requests) {
    if (state.current_timeline() == nullptr) return;
    const float kind_width = combo_width(k_kind_labels[0]) + scaled(8);
    if (state.devices.size() < 2) {
        draw_kind_switch(state, scaled(12), requests);
        return;
    }
    const std::string current = device_title(state.devices[state.device_index]);
    const float room = ImGui::GetContentRegionAvail().x - kind_width - scaled(24);
    const float width = std::clamp(combo_width(current.c_str()), scaled(90), std::max(scaled(90), room));
    draw_kind_switch(state, width + scaled(20), requests);
    ImGui::SameLine(ImGui::GetWindowWidth() - width - scaled(12));
    ImGui::SetNextItemWidth(width);
    const bool is_open = ImGui::BeginCombo("##device", current.c_str());
    if (!is_open) {
        report_rect("device");
        return;
    }
    for (std::size_t i = 0; i < state.devices.size(); ++i) {
        if (ImGui::Selectable(device_title(state.devices[i]).c_str(), i == state.device_index)) requests.ask(ShowDevice{i});
        report_rect("device_" + std::to_string(i));
    }
    ImGui::EndCombo();
}

void draw_key_row(const char* keys, const std::string& text) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushStyleColor(ImGuiCol_Text, palette().accent);
    ImGui::TextUnformatted(keys);
    ImGui::PopStyleColor();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(text.c_str());
}

/// What the mouse does, and the keys that only move or only edit.
constexpr std::array k_mouse_rows = {
    std::pair{"Drag, WASD, arrows", "Move the picture"},
    std::pair{"Wheel", "Nearer and farther, about the mouse"},
    std::pair{"Ctrl+wheel, Shift+wheel", "Along the steps only; along the memory only"},
    std::pair{"Right drag", "Zoom into a box; with Shift into its steps"},
    std::pair{"Ctrl+drag", "Measure a range: steps, time, bytes, what came, went and stayed"},
    std::pair{"Click", "Select an allocation"},
    std::pair{"Right click", "In the flame graph: the callers and callees of a bar"},
    std::pair{"Double click", "An allocation's life; over empty ground all of the picture"},
    std::pair{"Buttons 4 and 5", "Back to the view before, and forward again"},
    std::pair{"Drop a file", "Open it; on the strip of tabs, in a tab of its own"},
    std::pair{"Middle click", "On a tab: close it; on a recent file: open it in a new tab"}};

}  // namespace

float draw_menu_bar(const AppState& state, Requests& requests) {
    float height = 0;
    if (ImGui::BeginMainMenuBar()) {
        height = ImGui::GetWindowHeight();
        draw_menu(Menu::file, "menu_file", state, requests);
        draw_menu(Menu::edit, "menu_edit", state, requests);
        draw_menu(Menu::view, "menu_view", state, requests);
        draw_menu(Menu::go, "menu_go", state, requests);
        draw_menu(Menu::tools, "menu_tools", state, requests);
        draw_menu(Menu::query, "menu_query", state, requests);
        draw_menu(Menu::help, "menu_help", state, requests);
        draw_switches(state, requests);
        ImGui::EndMainMenuBar();
    }
    return height;
}

void draw_keys_window(bool& is_open, const AppState& state) {
    if (!is_open) return;
    const ImVec2 room = ImGui::GetMainViewport()->Size;
    ImGui::SetNextWindowSizeConstraints({0, 0}, {room.x * 0.96F, room.y * 0.9F});
    if (begin_floating_window("Keys and mouse", is_open, ImGuiWindowFlags_AlwaysAutoResize) &&
        ImGui::BeginTable("keys", 2, ImGuiTableFlags_RowBg)) {
        ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed);
        ImGui::TableSetupColumn("text", ImGuiTableColumnFlags_WidthFixed);
        for (const auto& [keys, text] : k_mouse_rows) draw_key_row(keys, text);
        for (const UserAction& action : all_actions()) {
            if (action.keys[0] != '\0') draw_key_row(action.keys, action_words(action, state));
        }
        ImGui::EndTable();
    }
    ImGui::End();
}

void draw_about_window(bool& is_open) {
    if (!is_open) return;
    if (begin_floating_window("About", is_open, ImGuiWindowFlags_AlwaysAutoResize)) {
        ImGui::TextUnformatted("snapviewer " SNAPVIEWER_VERSION);
        report_rect("about_version");
        ImGui::PushStyleColor(ImGuiCol_Text, palette().text_dim);
        ImGui::TextUnformatted("A viewer for GPU-memory snapshots: every allocation drawn, all of it in SQL.\nMIT licence.");
        ImGui::Spacing();
        ImGui::TextUnformatted(
            "With Dear ImGui, GLFW, glad, GLM, {fmt}, nlohmann/json, libzip, zlib,\nSQLite, libpng, CLI11, fontconfig and "
            "the fonts Open Sans and JetBrains Mono.");
        ImGui::PopStyleColor();
    }
    ImGui::End();
}

}  // namespace snapviewer
