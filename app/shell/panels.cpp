#include "app/shell/panels.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/shell/application.h"
#include "app/ui/item_observer.h"
#include "app/ui/keys.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/addresses.h"

namespace snapviewer::shell {
namespace {

constexpr float k_min_panel_share = 0.12F;
constexpr float k_max_panel_share = 0.7F;
constexpr float k_min_column_px = 285;  // room for the full names of all pages, if the window is wide enough
constexpr float k_max_min_column_share = 0.4F;

/// Reports the rectangle while the menu is closed; once it is open, ImGui's last item is the menu's window.
bool begin_menu(const MenuRow& row, bool is_enabled) {
    const bool is_open = ImGui::BeginMenu(row.title, is_enabled);
    if (!is_open) observe_item(std::string("menu_") + row.id);
    if (is_open && key_pressed(Key::escape)) ImGui::CloseCurrentPopup();
    return is_open;
}

void draw_command(const Command& command, const Session& session, Requests& requests) {
    const bool is_on = command.is_on && command.is_on(session);
    if (observed(ImGui::MenuItem(command.words_now(session).c_str(), command.keys, is_on, command.can_run(session)),
                 std::string("menu_") + command.name))
        requests.ask(RunCommand{command.id});
    if (command.doc) hover_tooltip(command.doc(session));
}

void draw_menu(const MenuRow& row, const Session& session, Switchboard& board) {
    const auto own = std::ranges::find_if(
        board.docked, [&](const DockRow& each) { return each.dock == Dock::menu && each.menu == row.menu; });
    if (!begin_menu(row, own == board.docked.end() || own->is_shown(session))) return;
    if (own != board.docked.end() && own->draw) own->draw({}, board.requests);
    for (const MenuEntry& entry : board.commands.entries_of(row.menu)) {
        if (entry.is_separated) ImGui::Separator();
        if (entry.command != nullptr)
            draw_command(*entry.command, session, board.requests);
        else
            draw_menu(*entry.menu, session, board);
    }
    ImGui::EndMenu();
}

/// Draws the main menu bar with what features add to it. Returns its height.
float draw_menu_bar(const Session& session, Switchboard& board) {
    if (!ImGui::BeginMainMenuBar()) return 0;
    const float height = ImGui::GetWindowHeight();
    for (const MenuRow& row : menu_rows()) {
        if (!row.before) draw_menu(row, session, board);
    }
    for (const DockRow& row : board.docked) {
        if (row.dock == Dock::menu_bar && row.is_shown(session)) row.draw({}, board.requests);
    }
    ImGui::EndMainMenuBar();
    return height;
}

/// The padding around the name of a tab, and the spacing between two tabs.
struct TabGaps {
    float padding = 0, spacing = 0;
};

/// The widest gaps with which all tab names fit.
TabGaps gaps_for(const std::vector<std::string>& names) {
    float width = 0;
    for (const std::string& name : names) width += ImGui::CalcTextSize(name.c_str(), nullptr, true).x;
    const auto count = static_cast<float>(names.size());
    const ImGuiStyle& style = ImGui::GetStyle();
    const TabGaps usual = {style.FramePadding.x, style.ItemInnerSpacing.x};
    for (const TabGaps gaps : {usual, TabGaps{scaled(5), scaled(2)}}) {
        if (width + count * (2 * gaps.padding + gaps.spacing) <= ImGui::GetContentRegionAvail().x) return gaps;
    }
    return {scaled(2), scaled(1)};
}

/// Applies the gaps to ImGui. Pushes two style variables, which the caller pops.
void push_tab_style(const TabGaps& gaps) {
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(gaps.padding, ImGui::GetStyle().FramePadding.y));
    ImGui::PushStyleVar(ImGuiStyleVar_ItemInnerSpacing, ImVec2(gaps.spacing, ImGui::GetStyle().ItemInnerSpacing.y));
}

/// Fills the rest of the current window with the tabs of the right column, or with a page that replaces them.
void draw_side_pages(Session& session, const std::vector<DockRow>& docked, Requests& requests) {
    std::vector<const DockRow*> pages;
    std::vector<std::string> names;
    for (const DockRow& row : docked) {
        if (row.dock == Dock::page && row.is_alone && row.is_alone(session)) return row.draw({}, requests);
    }
    for (const DockRow& row : docked) {
        if (row.dock != Dock::page) continue;
        if (row.choose) row.choose();
        if (!row.is_shown(session)) continue;
        pages.push_back(&row);
        names.push_back(row.tab ? row.tab(session) : command_row(*row.command).words);
    }
    if (pages.empty()) return;
    const TabGaps gaps = gaps_for(names);
    push_tab_style(gaps);
    const bool has_tabs = ImGui::BeginTabBar("side pages");
    ImGui::PopStyleVar(2);
    if (!has_tabs) return;
    const std::optional<std::string_view> next = std::exchange(session.pages.next, std::nullopt);
    for (std::size_t i = 0; i < pages.size(); ++i) {
        const DockRow& page = *pages[i];
        push_tab_style(gaps);
        const bool is_in_front = ImGui::BeginTabItem(
            names[i].c_str(), nullptr, next == page.id ? ImGuiTabItemFlags_SetSelected : ImGuiTabItemFlags_None);
        ImGui::PopStyleVar(2);
        observe_item("tab_" + std::string(page.id));
        if (!is_in_front) continue;
        session.pages.shown = page.id;
        page.draw({}, requests);
        ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
}

std::string file_text(const Session& session, const std::string& note) {
    if (!session.document) return "No file open";
    const std::string name = display_name(session.document->path);
    return (session.opened_rank ? rank_words(*session.opened_rank) + "  ·  " + name : name) + note;
}

/// Returns the panel of each area that is to be drawn in this frame; null for an area that stays empty.
PerArea<const DockRow*> panels_there(const Session& session, const std::vector<DockRow>& docked) {
    PerArea<const DockRow*> panels;
    for (const DockRow& row : docked) {
        if (row.dock == Dock::panel && panels[row.area] == nullptr && row.is_shown(session)) panels[row.area] = &row;
    }
    return panels;
}

/// The space that the panels want. Without a document there is only the picture's area, for the welcome screen.
PerArea<PanelSize> sizes_of(const PerArea<const DockRow*>& panels, Session& session) {
    PerArea<PanelSize> sizes;
    if (!session.document) return sizes;
    for (const PanelArea area : {PanelArea::below_picture, PanelArea::column, PanelArea::bottom}) {
        if (const DockRow* panel = panels[area])
            sizes[area] = {panel->share, panel->fixed_height ? panel->fixed_height() : 0};
    }
    if (sizes[PanelArea::column].share == nullptr) sizes[PanelArea::column].share = &session.preferences.details_fraction;
    return sizes;
}

/// Draws a splitter and returns how far it was dragged to the left or up in this frame.
float draw_splitter(const std::string& name, const Area& area, bool is_vertical) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, palette().window);
    begin_panel(name.c_str(), area, ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar);
    const float moved = -splitter("grip", area.size, name, is_vertical).value_or(0);
    ImGui::End();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(2);
    return moved;
}

/// Draws the splitters and changes the shares while one is dragged.
void draw_splitters(const Layout& layout, const Area& work, const PerArea<const DockRow*>& panels,
                    const PerArea<PanelSize>& sizes) {
    for (const PanelArea area : {PanelArea::column, PanelArea::below_picture, PanelArea::bottom}) {
        const Area& panel = layout.panels[area];
        if (panel.size.x <= 0 || panel.size.y <= 0) continue;
        const bool is_column = area == PanelArea::column;
        const std::string name = (is_column ? "details" : std::string(panels[area]->id)) + "_splitter";
        const float moved = draw_splitter(name, layout.splitters[area], is_column);
        // The share is a fraction of the room from the beginning of the work area to the end of the panel.
        const float room = is_column ? panel.pos.x + panel.size.x - work.pos.x : panel.pos.y + panel.size.y - work.pos.y;
        float& share = *sizes[area].share;
        share = std::clamp(share + moved / std::max(room, 1.0F), k_min_panel_share, k_max_panel_share);
    }
}

constexpr float k_max_tab_width_px = 260;
constexpr float k_tab_gap_px = 2;

/// Height of the tab strip; 0 while there is only one tab and the strip is hidden.
float tab_strip_height(const TabStripState& strip) {
    return strip.has_several() ? ImGui::GetTextLineHeight() + scaled(12) : 0;
}

/// Draws tabs that shrink to the available width, and a button for a new tab.
void draw_tab_strip(const Area& area, TabStripState& strip, Requests& requests) {
    ImGui::PushStyleColor(ImGuiCol_WindowBg, palette().window);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    begin_panel("Tabs", area, ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar);
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
    if (observed(ImGui::Button("+", {room.y, room.y}), "tab_new")) requests.ask(RunCommand{CommandId::file_open_tab});
    ImGui::PopStyleColor();
    hover_tooltip(with_keys("Open in a new tab", CommandId::file_open_tab));
    ImGui::End();
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
}

/// Draws the status bar: the open file; the notice, or else words about the item at the mouse; and the time of the last
/// frame, unless `frame_time` is empty.
void draw_status_bar(const Area& area, const Session& session, const std::string& file, const std::string& frame_time) {
    ImGui::PushStyleColor(ImGuiCol_WindowBg, palette().window);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    begin_panel("Status", area, ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar);
    const ImVec2 pos = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
    const float gap = scaled(28);
    const float top = pos.y + (size.y - ImGui::GetTextLineHeight()) / 2;
    const float left = pos.x + scaled(12);
    const ImVec2 end(pos.x + size.x, pos.y + size.y);
    ImDrawList* list = ImGui::GetWindowDrawList();

    float right = end.x - scaled(12);
    if (!frame_time.empty()) {
        const float time_right = right;
        right -= std::max(ImGui::CalcTextSize(frame_time.c_str()).x, scaled(64));
        list->AddText({right, top}, palette().text_faint, frame_time.c_str());
        observe_item("frame_time", right, top, time_right, end.y);
        right -= gap / 2;
    }

    list->PushClipRect(pos, {right, end.y}, true);
    list->AddText({left, top}, palette().text_dim, file.c_str());
    const bool has_notice = !session.notice.empty();
    const std::string& text = has_notice ? session.notice : session.under_cursor;
    list->AddText({left + ImGui::CalcTextSize(file.c_str()).x + gap, top}, has_notice ? palette().notice : palette().text,
                  text.c_str());
    list->PopClipRect();
    ImGui::End();
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
}

}  // namespace

Layout compute_layout(const Area& work, float status_height, float splitter_width, const PerArea<PanelSize>& sizes) {
    Layout layout;
    const float height = std::max(1.0F, work.size.y - status_height);
    layout.status = {{work.pos.x, work.pos.y + height}, {work.size.x, status_height}};
    Area& picture = layout.panels[PanelArea::picture] = {work.pos, {work.size.x, height}};
    const auto share_of = [&](PanelArea area) {
        return std::clamp(*sizes[area].share, k_min_panel_share, k_max_panel_share);
    };
    if (sizes[PanelArea::column].share != nullptr) {
        const float width = std::round(std::max(work.size.x * share_of(PanelArea::column),
                                                std::min(scaled(k_min_column_px), k_max_min_column_share * work.size.x)));
        picture.size.x = std::max(1.0F, work.size.x - width - splitter_width);
        const float right = work.pos.x + picture.size.x;
        layout.splitters[PanelArea::column] = {{right, work.pos.y}, {splitter_width, height}};
        layout.panels[PanelArea::column] = {{right + splitter_width, work.pos.y}, {width, height}};
    }
    for (const PanelArea area : {PanelArea::bottom, PanelArea::below_picture}) {
        if (sizes[area].share == nullptr) continue;
        const float fixed_height = sizes[area].fixed_height_px;
        const float panel_height = fixed_height > 0 ? fixed_height : std::round(picture.size.y * share_of(area));
        picture.size.y = std::max(1.0F, picture.size.y - panel_height - splitter_width);
        const float below = work.pos.y + picture.size.y;
        layout.splitters[area] = {{work.pos.x, below}, {picture.size.x, splitter_width}};
        layout.panels[area] = {{work.pos.x, below + splitter_width}, {picture.size.x, panel_height}};
    }
    return layout;
}

Area draw_panels(Session& session, Switchboard& board, TabStripState& tabs, const std::string& file_note,
                 std::optional<double> frame_ms) {
    const float menu_height = draw_menu_bar(session, board);
    const ImGuiViewport& viewport = *ImGui::GetMainViewport();
    const float strip_height = tab_strip_height(tabs);
    const float top = menu_height + strip_height;
    const Area work = {{viewport.Pos.x, viewport.Pos.y + top}, {viewport.Size.x, viewport.Size.y - top}};
    const PerArea<const DockRow*> panels = panels_there(session, board.docked);
    const PerArea<PanelSize> sizes = sizes_of(panels, session);
    const Layout layout = compute_layout(work, ImGui::GetTextLineHeight() + scaled(10), scaled(5), sizes);

    session.focused = Pane::timeline;
    if (strip_height > 0)
        draw_tab_strip({{viewport.Pos.x, viewport.Pos.y + menu_height}, {viewport.Size.x, strip_height}}, tabs,
                       board.requests);
    for (const PanelArea place : {PanelArea::picture, PanelArea::below_picture, PanelArea::column, PanelArea::bottom}) {
        const Area& area = layout.panels[place];
        if (area.size.x <= 0 || area.size.y <= 0) continue;
        if (panels[place] != nullptr) {
            panels[place]->draw(area, board.requests);
        } else if (place == PanelArea::column) {
            begin_focusable_panel("Details", area, Pane::details, session.focus_next, session.focused);
            draw_side_pages(session, board.docked, board.requests);
            ImGui::End();
        }
    }
    draw_splitters(layout, work, panels, sizes);
    draw_status_bar(layout.status, session, file_text(session, file_note),
                    frame_ms ? fmt::format("{:.1f} ms", *frame_ms) : "");
    const Area& picture = layout.panels[PanelArea::picture];
    const Projection& canvas = session.timeline.projection;
    if (shows_timeline(session))
        draw_toasts(session.toasts, canvas.min, canvas.max);
    else
        draw_toasts(session.toasts, picture.pos, {picture.pos.x + picture.size.x, picture.pos.y + picture.size.y});
    return work;
}

}  // namespace snapviewer::shell
