#include "app/shell/panels.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/features/timeline/timeline_ui.h"
#include "app/shell/application.h"
#include "app/shell/bars.h"
#include "app/shell/layout.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"
#include "core/base/addresses.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

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
        if (row.is_there && !row.is_there(session)) continue;
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
    std::string text = display_name(session.document->path);
    if (session.opened_rank)
        text = rank_words(*session.opened_rank) + "  ·  " + text + "  ·  " + keys_of(CommandId::tools_fleet) + ": the fleet";
    text += note;
    const Timeline* timeline = session.current_timeline();
    if (timeline == nullptr) return text;
    return text + fmt::format("  ·  {}  ·  {}  ·  {} event{}  ·  {}", picture_name(*timeline, session.current_device().axis),
                              counted(*timeline, timeline->allocation_count()),
                              format_count(timeline->trace().events.size()), timeline->trace().events.size() == 1 ? "" : "s",
                              labelled_peak_text(*timeline));
}

std::string cursor_text(const Session& session) {
    const Timeline* timeline = session.current_timeline();
    if (timeline == nullptr || !session.timeline.has_cursor) return "";
    const double bytes = std::max(0.0, session.timeline.cursor_bytes);
    std::string text = moment_text(*timeline, session.current_device().axis, session.timeline.cursor_x) + ", " +
                       format_bytes(static_cast<std::uint64_t>(bytes));
    if (session.timeline.hovered.is_some()) {
        const AllocationSummary summary = summarise(*timeline, session.timeline.hovered);
        text += "  ·  " + summary.size + (summary.own_line.empty() ? "" : "  ·  " + summary.own_line);
    }
    return text;
}

/// Draws the panels of one frame.
class PanelPainter {
public:
    PanelPainter(Session& session, const PanelScene& scene, Requests& requests)
        : session_(session), scene_(scene), requests_(requests) {}

    Area draw_panels();

private:
    /// The panel that fills each area, indexed by PanelArea; null if the area stays empty.
    using Panels = std::array<const DockRow*, 4>;

    Panels panels_there() const;
    void draw_tab_panel(const Area& area);
    void draw_details_panel(const Area& area);
    void draw_status_panel(const Area& area);

    Session& session_;
    const PanelScene& scene_;
    Requests& requests_;
};

/// Returns the panel of each area that is to be drawn in this frame.
PanelPainter::Panels PanelPainter::panels_there() const {
    Panels panels = {};
    for (const DockRow& row : scene_.docked) {
        const DockRow*& panel = panels[static_cast<std::size_t>(row.area)];
        if (row.dock == Dock::panel && panel == nullptr && (!row.is_there || row.is_there(session_))) panel = &row;
    }
    return panels;
}

Area PanelPainter::draw_panels() {
    const float menu_height = draw_menu_bar(scene_.commands, session_, requests_);
    const ImGuiViewport& viewport = *ImGui::GetMainViewport();
    const float strip_height = tab_strip_height(scene_.tabs);
    const float top = menu_height + strip_height;
    const Area work = {{viewport.Pos.x, viewport.Pos.y + top}, {viewport.Size.x, viewport.Size.y - top}};
    const float status_height = ImGui::GetTextLineHeight() + scaled(10);
    const Panels panels = panels_there();
    const DockRow* column = panels[static_cast<std::size_t>(PanelArea::column)];
    const DockRow* bottom = panels[static_cast<std::size_t>(PanelArea::bottom)];
    const bool has_own_width = column != nullptr && column->width_share != nullptr;
    float& details_fraction = has_own_width ? *column->width_share : session_.preferences.details_fraction;
    const Layout layout =
        compute_layout(work, status_height, scaled(5), session_.document != nullptr, session_.preferences,
                       panels[static_cast<std::size_t>(PanelArea::below_picture)] != nullptr,
                       bottom != nullptr && bottom->fixed_height ? bottom->fixed_height() : 0, details_fraction);

    session_.focused = Pane::timeline;
    if (strip_height > 0) draw_tab_panel({{viewport.Pos.x, viewport.Pos.y + menu_height}, {viewport.Size.x, strip_height}});
    const std::array areas = {&layout.timeline, &layout.map, &layout.details, &layout.query};
    for (std::size_t i = 0; i < panels.size(); ++i) {
        if (areas[i]->size.x <= 0 || areas[i]->size.y <= 0) continue;
        if (panels[i] != nullptr)
            panels[i]->draw(*areas[i], requests_);
        else if (areas[i] == &layout.details)
            draw_details_panel(layout.details);
    }
    draw_splitters(layout, work, session_.preferences, details_fraction);
    draw_status_panel(layout.status);
    const Area& panel = layout.timeline;
    const Projection& canvas = session_.timeline.projection;
    if (session_.current_timeline() != nullptr && session_.shown_icicle() == nullptr)
        draw_toasts(session_.toasts, canvas.min, canvas.max);
    else
        draw_toasts(session_.toasts, panel.pos, {panel.pos.x + panel.size.x, panel.pos.y + panel.size.y});
    return work;
}

void PanelPainter::draw_tab_panel(const Area& area) {
    ImGui::PushStyleColor(ImGuiCol_WindowBg, palette().window);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    begin_panel("Tabs", area, ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar);
    draw_tab_strip(scene_.tabs, requests_);
    ImGui::End();
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
}

void PanelPainter::draw_details_panel(const Area& area) {
    begin_focusable_panel("Details", area, Pane::details, session_.focus_next, session_.focused);
    draw_side_pages(session_, scene_.docked, requests_);
    ImGui::End();
}

void PanelPainter::draw_status_panel(const Area& area) {
    ImGui::PushStyleColor(ImGuiCol_WindowBg, palette().window);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    begin_panel("Status", area, ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar);
    draw_status_bar({file_text(session_, scene_.file_note), cursor_text(session_), session_.notice,
                     scene_.frame_ms ? fmt::format("{:.1f} ms", *scene_.frame_ms) : ""});
    ImGui::End();
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
}

}  // namespace

Area draw_panels(Session& session, const PanelScene& scene, Requests& requests) {
    return PanelPainter(session, scene, requests).draw_panels();
}

}  // namespace snapviewer
