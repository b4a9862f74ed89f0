#include "app/views/menu_bar.h"

#include <imgui.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "app/state/app_state.h"
#include "app/window/layout.h"
#include "app/window/state_report.h"
#include "app/window/theme.h"

namespace snapviewer {
namespace {

void item(const char* label, const char* keys, const char* rect, const Request& request, Requests& requests,
          bool is_enabled = true, bool is_checked = false) {
    if (ImGui::MenuItem(label, keys, is_checked, is_enabled)) requests.ask(request);
    report_rect(rect);
}

/// Reports the rectangle while the menu is closed; once it is open, ImGui's last item is the menu's window.
bool begin_menu(const char* label, const char* rect, bool is_enabled = true) {
    const bool is_open = ImGui::BeginMenu(label, is_enabled);
    if (!is_open) report_rect(rect);
    return is_open;
}

void draw_recent_files(const MenuScene& scene, Requests& requests) {
    if (!begin_menu("Open Recent", "menu_file_recent", !scene.recent_files.empty())) return;
    for (std::size_t i = 0; i < scene.recent_files.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        if (ImGui::MenuItem(scene.recent_files[i].c_str())) requests.ask(OpenFile{scene.recent_files[i]});
        report_rect("menu_file_recent_" + std::to_string(i));
        ImGui::PopID();
    }
    ImGui::EndMenu();
}

void draw_file_menu(const MenuScene& scene, Requests& requests) {
    if (!begin_menu("File", "menu_file")) return;
    item("Open…", "Ctrl+O", "menu_file_open", Command::open_dialog, requests);
    draw_recent_files(scene, requests);
    if (scene.companion != nullptr) {
        const std::string label = std::string("Open with ") + scene.companion + "…";
        item(label.c_str(), nullptr, "menu_file_open_with", Command::open_companion, requests);
    }
    item("Reload", "F5", "menu_file_reload", Command::reload, requests, scene.has_document);
    item("Close", "Ctrl+W", "menu_file_close", Command::close_document, requests, scene.has_document);
    ImGui::Separator();
    item("Quit", "Ctrl+Q", "menu_file_quit", Command::quit, requests);
    ImGui::EndMenu();
}

void draw_colour_menu(const MenuScene& scene, Requests& requests) {
    if (!begin_menu("Colour by", "menu_view_colour", scene.has_timeline)) return;
    const auto choice = [&](const char* label, ColourBy by) {
        if (ImGui::MenuItem(label, nullptr, scene.colour_by == by)) requests.ask(ColourAs{by});
        report_rect(std::string("menu_colour_") + label);
    };
    choice("Stack", ColourBy::stack);
    choice("Size", ColourBy::size);
    choice("Stream", ColourBy::stream);
    choice("Pool", ColourBy::pool);
    choice("Category", ColourBy::category);
    choice("Age", ColourBy::age);
    ImGui::EndMenu();
}

void draw_overlay_menu(const MenuScene& scene, Requests& requests) {
    if (!begin_menu("Over the picture", "menu_view_overlays", !scene.overlays.empty())) return;
    for (const OverlayItem& overlay : scene.overlays) {
        if (ImGui::MenuItem(overlay.name.c_str(), nullptr, overlay.is_shown)) {
            requests.ask(ShowOverlay{overlay.id, !overlay.is_shown});
        }
        if (ImGui::IsItemHovered() && !overlay.doc.empty()) ImGui::SetTooltip("%s", overlay.doc.c_str());
    }
    ImGui::EndMenu();
}

void tooltip_even_disabled(const char* text) {
    if (ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) ImGui::SetTooltip("%s", text);
}

struct KindText {
    ViewKind kind;
    const char* label;
    const char* rect;
    const char* doc;
};
constexpr KindText k_kinds[] = {
    {ViewKind::allocations, "Allocations", "allocations", "What the program allocated"},
    {ViewKind::segments, "Segments", "segments",
     "What was reserved from the driver, with the mappings of expandable segments"},
    {ViewKind::pools, "Pools", "pools",
     "Allocations with each private pool (of a CUDA graph or of the program's own) kept together,\n"
     "and what it holds but does not use"},
};

/// One of them is chosen; those the device does not have say why.
void draw_kind_items(const MenuScene& scene, Requests& requests) {
    for (const KindText& each : k_kinds) {
        const std::string& why_not = scene.why_not_shown[static_cast<std::size_t>(each.kind)];
        const bool is_shown = scene.has_timeline && scene.shown == each.kind;
        if (ImGui::MenuItem(each.label, "V", is_shown, scene.has_timeline && why_not.empty()))
            requests.ask(ShowView{each.kind});
        report_rect(std::string("menu_view_") + each.rect);
        tooltip_even_disabled(why_not.empty() ? each.doc : why_not.c_str());
    }
}

void draw_view_menu(const MenuScene& scene, Requests& requests) {
    if (!begin_menu("View", "menu_view")) return;
    item("Fit", "F", "menu_view_fit", Command::fit, requests, scene.has_timeline);
    item("Zoom to selection", "Z", "menu_view_zoom", Command::zoom_to_selection, requests, scene.has_selection);
    ImGui::Separator();
    draw_kind_items(scene, requests);
    ImGui::Separator();
    item("Time axis", "T", "menu_view_time", Command::toggle_axis, requests, scene.has_times, scene.axis == Axis::time);
    if (scene.has_timeline && !scene.has_times) tooltip_even_disabled(scene.why_no_times);
    item("Clock times", "Shift+T", "menu_view_clock", Command::toggle_clock, requests, scene.has_times, scene.clock_times);
    draw_colour_menu(scene, requests);
    draw_overlay_menu(scene, requests);
    ImGui::Separator();
    item("Tracks below the picture", nullptr, "menu_view_tracks", Command::toggle_tracks, requests, scene.has_tracks,
         scene.show_tracks);
    item("Allocator settings…", nullptr, "menu_view_settings", Command::show_settings, requests, scene.has_document);
    item("Query pane", "Ctrl+J", "menu_view_query", Command::toggle_query, requests, true, scene.show_query);
    ImGui::EndMenu();
}

void draw_go_menu(const MenuScene& scene, Requests& requests) {
    if (!begin_menu("Go", "menu_go")) return;
    item("Peak", "P", "menu_go_peak", Command::go_to_peak, requests, scene.has_timeline);
    item("Next marker", "N", "menu_go_next_marker", Command::next_marker, requests, scene.has_markers);
    item("Previous marker", "Shift+N", "menu_go_previous_marker", Command::previous_marker, requests, scene.has_markers);
    item("Find…", "Ctrl+F", "menu_go_find", Command::open_search, requests, scene.has_timeline);
    ImGui::EndMenu();
}

void draw_help_menu(Requests& requests) {
    if (!begin_menu("Help", "menu_help")) return;
    item("Keys and mouse", "F1", "menu_help_keys", OpenWindow{&AppState::show_keys}, requests);
    item("About", nullptr, "menu_help_about", OpenWindow{&AppState::show_about}, requests);
    ImGui::EndMenu();
}

float combo_width(const char* text) { return ImGui::CalcTextSize(text).x + scaled(48); }

/// What is shown of the device, so far from the right edge.
void draw_kind_switch(const MenuScene& scene, float from_right, Requests& requests) {
    const char* current = k_kinds[static_cast<std::size_t>(scene.shown)].label;
    const float width = combo_width(k_kinds[0].label);
    ImGui::SameLine(ImGui::GetWindowWidth() - width - from_right);
    ImGui::SetNextItemWidth(width);
    if (!ImGui::BeginCombo("##shown", current)) {
        tooltip_even_disabled("What is shown of the device (V)");
        report_rect("shows");
        return;
    }
    for (const KindText& each : k_kinds) {
        const std::string& why_not = scene.why_not_shown[static_cast<std::size_t>(each.kind)];
        const auto flags = why_not.empty() ? ImGuiSelectableFlags_None : ImGuiSelectableFlags_Disabled;
        if (ImGui::Selectable(each.label, scene.shown == each.kind, flags)) requests.ask(ShowView{each.kind});
        report_rect(std::string("shows_") + each.rect);
        tooltip_even_disabled(why_not.empty() ? each.doc : why_not.c_str());
    }
    ImGui::EndCombo();
}

/// What is shown and of which device, where there is a choice.
void draw_switches(const MenuScene& scene, Requests& requests) {
    if (!scene.has_timeline) return;
    const float kind_width = combo_width(k_kinds[0].label) + scaled(8);
    if (scene.devices.size() < 2) {
        draw_kind_switch(scene, scaled(12), requests);
        return;
    }
    const std::string& current = scene.devices[scene.device_index];
    const float room = ImGui::GetContentRegionAvail().x - kind_width - scaled(24);
    const float width = std::clamp(combo_width(current.c_str()), scaled(90), std::max(scaled(90), room));
    draw_kind_switch(scene, width + scaled(20), requests);
    ImGui::SameLine(ImGui::GetWindowWidth() - width - scaled(12));
    ImGui::SetNextItemWidth(width);
    const bool is_open = ImGui::BeginCombo("##device", current.c_str());
    if (!is_open) {
        report_rect("device");
        return;
    }
    for (std::size_t i = 0; i < scene.devices.size(); ++i) {
        if (ImGui::Selectable(scene.devices[i].c_str(), i == scene.device_index)) requests.ask(ShowDevice{i});
        report_rect("device_" + std::to_string(i));
    }
    ImGui::EndCombo();
}

void draw_key_rows(std::initializer_list<std::pair<const char*, const char*>> rows) {
    for (const auto& [keys, text] : rows) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::PushStyleColor(ImGuiCol_Text, palette().accent);
        ImGui::TextUnformatted(keys);
        ImGui::PopStyleColor();
        ImGui::TableNextColumn();
        ImGui::TextUnformatted(text);
    }
}

}  // namespace

float draw_menu_bar(const MenuScene& scene, Requests& requests) {
    float height = 0;
    if (ImGui::BeginMainMenuBar()) {
        height = ImGui::GetWindowHeight();
        draw_file_menu(scene, requests);
        draw_view_menu(scene, requests);
        draw_go_menu(scene, requests);
        draw_help_menu(requests);
        draw_switches(scene, requests);
        ImGui::EndMainMenuBar();
    }
    return height;
}

void draw_keys_window(bool& is_open) {
    if (!is_open) return;
    if (begin_floating_window("Keys and mouse", is_open, ImGuiWindowFlags_AlwaysAutoResize) &&
        ImGui::BeginTable("keys", 2, ImGuiTableFlags_RowBg)) {
        ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed);
        ImGui::TableSetupColumn("text", ImGuiTableColumnFlags_WidthFixed);
        draw_key_rows({{"Drag, WASD, arrows", "Move the picture"},
                       {"Wheel, + and -", "Nearer and farther, about the cursor or the middle"},
                       {"Ctrl+wheel", "Along the steps only"},
                       {"Shift+wheel", "Along the memory only"},
                       {"Double click, F, Home", "All of the picture"},
                       {"Click", "Select an allocation"},
                       {"Esc", "Select nothing; end the search; close a dialog; stop loading, or the query that runs"},
                       {"Ctrl+F", "Find by file, function, address or metadata; Enter for the next, Shift+Enter back"},
                       {"Z", "Zoom to the selection"},
                       {"P", "Go to the peak"},
                       {"N, Shift+N", "Next and previous marker"},
                       {"I", "Next picture of a report; in an icicle a double click zooms in, Backspace out"},
                       {"V", "Allocations, segments or private pools: the next that the file has"},
                       {"T, Shift+T", "Steps or time along the bottom; times of day"},
                       {"Ctrl+O, or drop a file", "Open"},
                       {"F5", "Open the file again"},
                       {"Ctrl+W", "Close the file"},
                       {"Ctrl+J", "Show or hide the query pane"},
                       {"Ctrl+Enter", "Run the query"},
                       {"Ctrl+C", "Copy the details"},
                       {"F6", "Next pane"},
                       {"Ctrl+Q", "Quit"}});
        ImGui::EndTable();
    }
    ImGui::End();
}

void draw_about_window(bool& is_open) {
    if (!is_open) return;
    if (begin_floating_window("About", is_open, ImGuiWindowFlags_AlwaysAutoResize)) {
        ImGui::TextUnformatted("snapviewer " SNAPVIEWER_VERSION);
        ImGui::PushStyleColor(ImGuiCol_Text, palette().text_dim);
        ImGui::TextUnformatted("A viewer for GPU-memory snapshots: every allocation drawn, all of it in SQL.\nMIT licence.");
        ImGui::Spacing();
        ImGui::TextUnformatted(
            "With Dear ImGui, GLFW, glad, GLM, {fmt}, nlohmann/json, libzip, zlib,\nSQLite, libpng, CLI11, fontconfig and "
            "JetBrains Mono.");
        ImGui::PopStyleColor();
    }
    ImGui::End();
}

}  // namespace snapviewer
