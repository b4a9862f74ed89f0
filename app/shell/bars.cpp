#include "app/shell/bars.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/features/timeline/colouring.h"
#include "app/features/timeline/overlays_ui.h"
#include "app/features/timeline/pictures.h"
#include "app/shell/application.h"
#include "app/ui/drawn_text.h"
#include "app/ui/feature.h"
#include "app/ui/item_observer.h"
#include "app/ui/keys.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"

namespace snapviewer {
namespace {

void tooltip_even_disabled(const std::string& text) {
    if (!text.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) item_tooltip(text);
}

/// Reports the rectangle while the menu is closed; once it is open, ImGui's last item is the menu's window.
bool begin_menu(const MenuRow& row, bool is_enabled) {
    const bool is_open = ImGui::BeginMenu(row.title, is_enabled);
    if (!is_open) observe_item(std::string("menu_") + row.id);
    if (is_open && key_pressed(Key::escape)) ImGui::CloseCurrentPopup();
    return is_open;
}

Request open_recent(const std::string& path, bool in_tab) {
    return in_tab ? Request(OpenInTab{path}) : Request(OpenFile{path});
}

void draw_recent_files(const std::vector<std::string>& recent_files, Requests& requests) {
    for (std::size_t i = 0; i < recent_files.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        if (ImGui::MenuItem(recent_files[i].c_str())) requests.ask(open_recent(recent_files[i], ImGui::GetIO().KeyCtrl));
        if (ImGui::IsItemClicked(ImGuiMouseButton_Middle)) {
            requests.ask(OpenInTab{recent_files[i]});
            ImGui::CloseCurrentPopup();
        }
        observe_item("menu_file_recent_" + std::to_string(i));
        ImGui::PopID();
    }
}

void draw_overlays_to_choose(const Session& session, Requests& requests) {
    for (const OverlayItem& overlay : overlay_items(session.current_overlays(), session.preferences.overlays)) {
        if (ImGui::MenuItem(overlay.name.c_str(), nullptr, overlay.is_shown)) {
            requests.ask(ShowOverlay{overlay.id, !overlay.is_shown});
        }
        observe_item("menu_overlay_" + overlay.id);
        tooltip_even_disabled(overlay.doc);
    }
}

bool has_entries(const Session& session, Menu menu) {
    switch (menu) {
        case Menu::recent: return !session.preferences.recent_files.empty();
        case Menu::colour: return session.current_timeline() != nullptr;
        case Menu::overlays:
            return session.current_timeline() != nullptr &&
                   !overlay_items(session.current_overlays(), session.preferences.overlays).empty();
        default: return true;
    }
}

void draw_command(const Command& command, const Session& session, Requests& requests) {
    const bool is_on = command.is_on && command.is_on(session);
    if (ImGui::MenuItem(command.words_now(session).c_str(), command.keys, is_on, command.can_run(session)))
        requests.ask(RunCommand{command.id});
    observe_item(std::string("menu_") + command.name);
    if (command.doc) tooltip_even_disabled(command.doc(session));
}

void draw_menu(const Commands& commands, const MenuRow& row, const Session& session, Requests& requests) {
    if (!begin_menu(row, has_entries(session, row.menu))) return;
    if (row.menu == Menu::recent) draw_recent_files(session.preferences.recent_files, requests);
    if (row.menu == Menu::overlays) draw_overlays_to_choose(session, requests);
    for (const MenuEntry& entry : commands.entries_of(row.menu)) {
        if (entry.is_separated) ImGui::Separator();
        if (entry.command != nullptr)
            draw_command(*entry.command, session, requests);
        else
            draw_menu(commands, *entry.menu, session, requests);
    }
    ImGui::EndMenu();
}

float combo_width(const char* text) { return ImGui::CalcTextSize(text).x + scaled(48); }

float kind_switch_width() { return combo_width(command_row(CommandId::view_allocations).words); }

/// Draws the choice of the view of a device, `from_right` units from the window's right edge.
void draw_kind_switch(const Commands& commands, const Session& session, float from_right, Requests& requests) {
    const float width = kind_switch_width();
    ImGui::SameLine(ImGui::GetWindowWidth() - width - from_right);
    ImGui::SetNextItemWidth(width);
    if (!ImGui::BeginCombo("##shown", command_row(command_of(session.current_kind())).words)) {
        tooltip_even_disabled(with_keys("Which picture of the device is shown", CommandId::view_next_kind));
        observe_item("shows");
        return;
    }
    for (std::size_t i = 0; i < k_view_kinds; ++i) {
        const Command& kind = commands.at(command_of(static_cast<ViewKind>(i)));
        const auto flags = kind.can_run(session) ? ImGuiSelectableFlags_None : ImGuiSelectableFlags_Disabled;
        if (ImGui::Selectable(kind.words, kind.is_on(session), flags)) requests.ask(RunCommand{kind.id});
        observe_item("shows_" + view_kind_names()[i]);
        tooltip_even_disabled(kind.doc(session));
    }
    ImGui::EndCombo();
}

/// Draws the choice of the view and, if there are several devices, the choice of the device.
void draw_switches(const Commands& commands, const Session& session, Requests& requests) {
    if (session.current_timeline() == nullptr) return;
    const float kind_width = kind_switch_width() + scaled(8);
    if (session.devices.size() < 2) {
        draw_kind_switch(commands, session, scaled(12), requests);
        return;
    }
    const std::string current = device_title(session.devices[session.device_index]);
    const float room = ImGui::GetContentRegionAvail().x - kind_width - scaled(24);
    const float width = std::clamp(combo_width(current.c_str()), scaled(90), std::max(scaled(90), room));
    draw_kind_switch(commands, session, width + scaled(20), requests);
    ImGui::SameLine(ImGui::GetWindowWidth() - width - scaled(12));
    ImGui::SetNextItemWidth(width);
    const bool is_open = ImGui::BeginCombo("##device", current.c_str());
    if (!is_open) {
        observe_item("device");
        return;
    }
    for (std::size_t i = 0; i < session.devices.size(); ++i) {
        if (ImGui::Selectable(device_title(session.devices[i]).c_str(), i == session.device_index))
            requests.ask(ShowDevice{i});
        observe_item("device_" + std::to_string(i));
    }
    ImGui::EndCombo();
}

}  // namespace

float draw_menu_bar(const Commands& commands, const Session& session, Requests& requests) {
    float height = 0;
    if (ImGui::BeginMainMenuBar()) {
        height = ImGui::GetWindowHeight();
        for (const MenuRow& row : menu_rows()) {
            if (!row.before) draw_menu(commands, row, session, requests);
        }
        draw_switches(commands, session, requests);
        ImGui::EndMainMenuBar();
    }
    return height;
}

namespace {

constexpr float k_bar_gap_px = 4;

std::string coloured_by(const Colouring& colouring) {
    return fmt::format("Colour: {}", command_row(colouring.command).words);
}

/// Width of the widest choice, so that the legend does not move when another colouring is chosen.
float colour_combo_width() {
    float widest = 0;
    for (const Colouring& each : colourings()) widest = std::max(widest, ImGui::CalcTextSize(coloured_by(each).c_str()).x);
    return widest + 2 * ImGui::GetStyle().FramePadding.x + ImGui::GetFrameHeight();
}

void draw_colour_combo(const Commands& commands, const Session& session, Requests& requests) {
    const auto shown = std::ranges::find(colourings(), session.colour_by, &Colouring::by);
    ImGui::SetNextItemWidth(colour_combo_width());
    if (!ImGui::BeginCombo("##colour", coloured_by(*shown).c_str(), ImGuiComboFlags_HeightLargest)) {
        observe_item("button_colour");
        return;
    }
    for (const MenuEntry& entry : commands.entries_of(Menu::colour)) {
        const Command& colour = *entry.command;
        const auto flags = colour.can_run(session) ? ImGuiSelectableFlags_None : ImGuiSelectableFlags_Disabled;
        if (ImGui::Selectable(colour.words, colour.is_on(session), flags)) requests.ask(RunCommand{colour.id});
        observe_item(std::string("button_") + colour.name);
        const std::string doc = colour.doc(session);
        if (!doc.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) item_tooltip(doc);
    }
    ImGui::EndCombo();
}

/// Draws a button that is highlighted while its command is on.
void draw_switch(const Command& command, const Session& session, Requests& requests) {
    const bool is_on = command.is_on(session);
    ImGui::SameLine(0, scaled(k_bar_gap_px));
    if (is_on) ImGui::PushStyleColor(ImGuiCol_Button, palette().accent_soft);
    ImGui::BeginDisabled(!command.can_run(session));
    if (ImGui::Button(command.words)) requests.ask(RunCommand{command.id});
    ImGui::EndDisabled();
    if (is_on) ImGui::PopStyleColor();
    observe_item(std::string("button_") + command.name);
    if (ImGui::IsItemHovered()) item_tooltip(with_keys(command.words, command.id));
}

}  // namespace

float draw_picture_bar(const Commands& commands, const Session& session, ImVec2 pos, Requests& requests) {
    const float pad_y = (overlay_legend_height() - ImGui::GetTextLineHeight()) / 2 - scaled(2);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {scaled(7), pad_y});
    ImGui::SetCursorScreenPos({pos.x + scaled(2), pos.y + scaled(2)});
    draw_colour_combo(commands, session, requests);
    for (const CommandId id : {CommandId::view_flame, CommandId::view_address_map})
        draw_switch(commands.at(id), session, requests);
    ImGui::PopStyleVar();
    return ImGui::GetItemRectMax().x + scaled(2 * k_bar_gap_px) - pos.x;
}

namespace {

void draw_text(ImVec2 pos, ImU32 colour, const std::string& text) {
    ImGui::GetWindowDrawList()->AddText(pos, colour, text.c_str());
}

}  // namespace

void draw_status_bar(const StatusLine& line) {
    const ImVec2 pos = ImGui::GetWindowPos();
    const ImVec2 size = ImGui::GetWindowSize();
    const float margin = scaled(12);
    const float gap = scaled(28);
    const float top = pos.y + (size.y - ImGui::GetTextLineHeight()) / 2;
    const ImVec2 end(pos.x + size.x, pos.y + size.y);
    ImDrawList* list = ImGui::GetWindowDrawList();

    float right = end.x - margin;
    if (!line.frame_time.empty()) {
        right -= std::max(ImGui::CalcTextSize(line.frame_time.c_str()).x, scaled(64));
        draw_text({right, top}, palette().text_faint, line.frame_time);
        observe_item("frame_time", right, top, end.x - margin, end.y);
        right -= gap / 2;
    }

    list->PushClipRect(pos, {right, end.y}, true);
    draw_text({pos.x + margin, top}, palette().text_dim, line.file);
    const float cursor_left = pos.x + margin + ImGui::CalcTextSize(line.file.c_str()).x + (line.file.empty() ? 0 : gap);
    const bool has_notice = !line.notice.empty();
    draw_text({cursor_left, top}, has_notice ? palette().notice : palette().text, has_notice ? line.notice : line.cursor);
    list->PopClipRect();
}

namespace {

constexpr float k_max_tab_width_px = 260;
constexpr float k_tab_gap_px = 2;

}  // namespace

float tab_strip_height(const TabStripState& strip) {
    return strip.has_several() ? ImGui::GetTextLineHeight() + scaled(12) : 0;
}

void draw_tab_strip(TabStripState& strip, Requests& requests) {
    const ImVec2 room = ImGui::GetWindowSize();
    strip.top = ImGui::GetWindowPos().y;
    strip.bottom = strip.top + room.y;
    const float gap = scaled(k_tab_gap_px);
    const auto count = static_cast<float>(strip.tabs.size());
    const float width = std::min(scaled(k_max_tab_width_px), (room.x - room.y) / count - gap);
    for (std::size_t i = 0; i < strip.tabs.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        ImGui::SetCursorPos({static_cast<float>(i) * (width + gap), 0});
        const TabName& tab = strip.tabs[i];
        const std::string number = std::to_string(i);
        const TabLook look{tab.name,
                           tab.path.empty() ? tab.name : tab.path,
                           with_keys("Close", CommandId::file_close),
                           i == strip.shown,
                           true,
                           tab.loaded};
        const TabClick click = draw_tab(look, {std::max(1.0F, width), room.y}, "tab_" + number, "tab_close_" + number);
        if (click == TabClick::show) requests.ask(ShowTab{i});
        if (click == TabClick::close) requests.ask(CloseTab{i});
        ImGui::PopID();
    }
    ImGui::SetCursorPos({count * (width + gap), 0});
    ImGui::PushStyleColor(ImGuiCol_Button, palette().window);
    if (ImGui::Button("+", {room.y, room.y})) requests.ask(RunCommand{CommandId::file_open_tab});
    ImGui::PopStyleColor();
    observe_item("tab_new");
    if (ImGui::IsItemHovered()) item_tooltip(with_keys("Open in a new tab", CommandId::file_open_tab));
}

}  // namespace snapviewer
