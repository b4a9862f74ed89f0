#include "app/shell/bars.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <string>

#include "app/shell/application.h"
#include "app/ui/drawn_text.h"
#include "app/ui/feature.h"
#include "app/ui/item_observer.h"
#include "app/ui/keys.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"

namespace snapviewer::shell {
namespace {

/// Reports the rectangle while the menu is closed; once it is open, ImGui's last item is the menu's window.
bool begin_menu(const MenuRow& row, bool is_enabled) {
    const bool is_open = ImGui::BeginMenu(row.title, is_enabled);
    if (!is_open) observe_item(std::string("menu_") + row.id);
    if (is_open && key_pressed(Key::escape)) ImGui::CloseCurrentPopup();
    return is_open;
}

void draw_command(const Command& command, const Session& session, Requests& requests) {
    const bool is_on = command.is_on && command.is_on(session);
    if (ImGui::MenuItem(command.words_now(session).c_str(), command.keys, is_on, command.can_run(session)))
        requests.ask(RunCommand{command.id});
    observe_item(std::string("menu_") + command.name);
    if (command.doc) hover_tooltip(command.doc(session));
}

void draw_menu(const Commands& commands, std::span<const DockRow> docked, const MenuRow& row, const Session& session,
               Requests& requests) {
    const auto own =
        std::ranges::find_if(docked, [&](const DockRow& each) { return each.dock == Dock::menu && each.menu == row.menu; });
    if (!begin_menu(row, own == docked.end() || own->is_shown(session))) return;
    if (own != docked.end() && own->draw) own->draw({}, requests);
    for (const MenuEntry& entry : commands.entries_of(row.menu)) {
        if (entry.is_separated) ImGui::Separator();
        if (entry.command != nullptr)
            draw_command(*entry.command, session, requests);
        else
            draw_menu(commands, docked, *entry.menu, session, requests);
    }
    ImGui::EndMenu();
}

}  // namespace

float draw_menu_bar(const Commands& commands, std::span<const DockRow> docked, const Session& session, Requests& requests) {
    float height = 0;
    if (ImGui::BeginMainMenuBar()) {
        height = ImGui::GetWindowHeight();
        for (const MenuRow& row : menu_rows()) {
            if (!row.before) draw_menu(commands, docked, row, session, requests);
        }
        for (const DockRow& row : docked) {
            if (row.dock == Dock::menu_bar && row.is_shown(session)) row.draw({}, requests);
        }
        ImGui::EndMainMenuBar();
    }
    return height;
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

}  // namespace snapviewer::shell
