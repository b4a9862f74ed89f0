#include "app/shell/panels.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/features/address_map/address_map.h"
#include "app/features/answers/device_answers.h"
#include "app/features/compare/compare_ui.h"
#include "app/features/details/details.h"
#include "app/features/emphasis.h"
#include "app/features/files/files.h"
#include "app/features/files/files_ui.h"
#include "app/features/findings/findings.h"
#include "app/features/flame/flame.h"
#include "app/features/fleet/fleet.h"
#include "app/features/notes/notes.h"
#include "app/features/query/queries.h"
#include "app/features/reports/icicle_details_ui.h"
#include "app/features/reports/icicle_ui.h"
#include "app/features/save_picture/save_picture.h"
#include "app/features/search/search.h"
#include "app/features/shell_state.h"
#include "app/features/timeline/timeline_ui.h"
#include "app/features/what_if/what_if.h"
#include "app/shell/bars.h"
#include "app/shell/layout.h"
#include "app/ui/fonts.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"
#include "core/analysis/findings/analyses.h"
#include "core/base/addresses.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

/// The padding around and the spacing between the names of the tabs.
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

/// Fills the rest of the current window with the pages of the right column, of which the file without a picture has one.
void draw_side_pages(AppState& state, const std::vector<DockRow>& docked, Requests& requests) {
    std::vector<const DockRow*> pages;
    std::vector<std::string> names;
    for (const DockRow& row : docked) {
        if (row.dock != Dock::page) continue;
        if (!has_picture(state)) {
            if (row.is_without_picture) row.draw({}, requests);
            continue;
        }
        if (row.choose) row.choose();
        if (row.is_there && !row.is_there(state)) continue;
        pages.push_back(&row);
        names.push_back(row.tab ? row.tab(state) : row.title);
    }
    if (pages.empty()) return;
    const TabGaps gaps = gaps_for(names);
    push_tab_style(gaps);
    const bool has_tabs = ImGui::BeginTabBar("side pages");
    ImGui::PopStyleVar(2);
    if (!has_tabs) return;
    const std::optional<std::string_view> next = std::exchange(state.pages.next, std::nullopt);
    for (std::size_t i = 0; i < pages.size(); ++i) {
        const DockRow& page = *pages[i];
        push_tab_style(gaps);
        const bool is_in_front = ImGui::BeginTabItem(
            names[i].c_str(), nullptr, next == page.id ? ImGuiTabItemFlags_SetSelected : ImGuiTabItemFlags_None);
        ImGui::PopStyleVar(2);
        report_rect("tab_" + std::string(page.id));
        if (!is_in_front) continue;
        state.pages.shown = page.id;
        page.draw({}, requests);
        ImGui::EndTabItem();
    }
    ImGui::EndTabBar();
}

std::string file_text(const AppState& state) {
    if (!state.document) return "No file open";
    std::string text = display_name(state.document->path);
    if (state.fleet.opened) text = rank_words(*state.fleet.opened) + "  ·  " + text + "  ·  F4: the fleet";
    if (state.on_disk == DiskChange::gone) text += "  ·  no longer on disk";
    const Timeline* timeline = state.current_timeline();
    if (timeline == nullptr) return text;
    return text + fmt::format("  ·  {}  ·  {}  ·  {} event{}  ·  {}", picture_name(*timeline, state.current_device().axis),
                              counted(*timeline, timeline->allocation_count()),
                              format_count(timeline->trace().events.size()), timeline->trace().events.size() == 1 ? "" : "s",
                              labelled_peak_text(*timeline));
}

std::optional<std::int64_t> clock_start_us(const AppState& state) {
    const Timeline* timeline = state.current_timeline();
    if (!state.preferences.clock_times || timeline->start_time_us() == k_no_time) return std::nullopt;
    return timeline->start_time_us();
}

/// Describes the moment of a flame graph: "alive at step 1,024", "allocated from step 200 to step 1,024".
std::string flame_moment_text(const Timeline& timeline, const stacks::FlameMoment& moment) {
    const auto at = [&](std::uint32_t tick) {
        return step_text(timeline, static_cast<double>(timeline.step_of_tick(tick)));
    };
    if (moment.of == stacks::FlameSelection::live) return "alive at " + at(moment.tick);
    const std::string range = "allocated from " + at(moment.first_tick) + " to " + at(moment.tick);
    return moment.of == stacks::FlameSelection::allocated ? range : range + " and alive there";
}

std::string cursor_text(const AppState& state) {
    const Timeline* timeline = state.current_timeline();
    if (timeline == nullptr || !state.timeline.has_cursor) return "";
    const double bytes = std::max(0.0, state.timeline.cursor_bytes);
    std::string text = moment_text(*timeline, state.current_device().axis, state.timeline.cursor_x) + ", " +
                       format_bytes(static_cast<std::uint64_t>(bytes));
    if (state.timeline.hovered.is_some()) {
        const AllocationSummary summary = summarise(*timeline, state.timeline.hovered);
        text += "  ·  " + summary.size + (summary.own_line.empty() ? "" : "  ·  " + summary.own_line);
    }
    return text;
}

/// The reason why the picture of an open file is missing or incomplete, for example an upload in progress; mostly empty.
std::string why_nothing_is_drawn(render::TimelineCanvas& canvas) {
    const render::UploadProgress progress = canvas.renderer().upload_progress();
    if (progress.is_done()) return canvas.error();
    return fmt::format("Sending the picture to the graphics card: {} of {}", format_bytes(progress.sent_bytes),
                       format_bytes(progress.total_bytes));
}

void draw_note(const std::string& text, const Projection& canvas) {
    if (text.empty()) return;
    const float left = (canvas.min.x + canvas.max.x - ImGui::CalcTextSize(text.c_str()).x) / 2;
    ImGui::GetWindowDrawList()->AddText({left, (canvas.min.y + canvas.max.y) / 2}, palette().text_dim, text.c_str());
}

/// Draws the panels of one frame.
class PanelPainter {
public:
    PanelPainter(AppState& state, const PanelScene& scene, Requests& requests)
        : state_(state), scene_(scene), requests_(requests) {}

    Area draw_panels();

private:
    bool begin_focusable_panel(const char* name, const Area& area, Pane pane, ImGuiWindowFlags flags = 0);
    void draw_tab_panel(const Area& area);
    void draw_timeline_panel(const Area& area);
    void draw_tabs();
    void follow_mouse_buttons();
    void draw_banners();
    void count_at_cursor(const Timeline& timeline);
    void draw_timeline(const Timeline& timeline);
    void draw_map_panel(const Area& area);
    void draw_details_panel(const Area& area);
    void draw_query_panel(const Area& area);
    void draw_status_panel(const Area& area);

    AppState& state_;
    const PanelScene& scene_;
    Requests& requests_;
};

bool PanelPainter::begin_focusable_panel(const char* name, const Area& area, Pane pane, ImGuiWindowFlags flags) {
    if (state_.focus_next == pane) {
        ImGui::SetNextWindowFocus();
        if (pane == Pane::query) state_.query.focus_input = true;
        state_.focus_next.reset();
    }
    const bool is_shown = begin_panel(name, area, flags);
    if (ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows)) state_.focused = pane;
    return is_shown;
}

Area PanelPainter::draw_panels() {
    const float menu_height = draw_menu_bar(scene_.commands, state_, requests_);
    const ImGuiViewport& viewport = *ImGui::GetMainViewport();
    const float strip_height = tab_strip_height(state_.tabs);
    const float top = menu_height + strip_height;
    const Area work = {{viewport.Pos.x, viewport.Pos.y + top}, {viewport.Size.x, viewport.Size.y - top}};
    const float status_height = ImGui::GetTextLineHeight() + scaled(10);
    const float query_line_px = state_.query.is_open ? 0 : query_line_height();
    const bool has_comparison = state_.compare.is_open && state_.current_timeline() != nullptr;
    float& details_fraction = has_comparison ? state_.compare.width_share : state_.preferences.details_fraction;
    const Layout layout = compute_layout(work, status_height, scaled(5), state_.document != nullptr, state_.preferences,
                                         state_.shows_address_map(), query_line_px, details_fraction);

    state_.focused = Pane::timeline;
    if (strip_height > 0) draw_tab_panel({{viewport.Pos.x, viewport.Pos.y + menu_height}, {viewport.Size.x, strip_height}});
    draw_timeline_panel(layout.timeline);
    if (layout.map.size.y > 0) draw_map_panel(layout.map);
    if (has_comparison)
        draw_compare_window(state_.compare, state_.document->path, layout.details, scene_.compared, requests_);
    else if (layout.details.size.x > 0)
        draw_details_panel(layout.details);
    if (!has_comparison) state_.compare.is_focused = false;
    if (layout.query.size.y > 0) draw_query_panel(layout.query);
    draw_splitters(layout, work, state_.preferences, details_fraction);
    draw_status_panel(layout.status);
    const Area& panel = layout.timeline;
    const Projection& canvas = state_.timeline.projection;
    if (state_.current_timeline() != nullptr && state_.shown_icicle() == nullptr)
        draw_toasts(state_.toasts, canvas.min, canvas.max);
    else
        draw_toasts(state_.toasts, panel.pos, {panel.pos.x + panel.size.x, panel.pos.y + panel.size.y});
    return work;
}

void PanelPainter::draw_tab_panel(const Area& area) {
    ImGui::PushStyleColor(ImGuiCol_WindowBg, palette().window);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    begin_panel("Tabs", area, ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar);
    draw_tab_strip(state_.tabs, requests_);
    ImGui::End();
    ImGui::PopStyleVar(2);
    ImGui::PopStyleColor();
}

void PanelPainter::draw_timeline_panel(const Area& area) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    // The timeline fills the space beside its picture itself, so a background would be painted twice.
    begin_focusable_panel("Timeline", area, Pane::timeline,
                          ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNavInputs |
                              (state_.current_timeline() ? ImGuiWindowFlags_NoBackground : 0));
    ImGui::PopStyleVar(2);
    if (state_.document) draw_tabs();
    follow_mouse_buttons();
    draw_banners();
    if (const stacks::Icicle* icicle = state_.shown_icicle()) {
        draw_icicle_view(state_.shown_icicle_view(), *icicle, requests_);
    } else if (const Timeline* timeline = state_.current_timeline()) {
        draw_timeline(*timeline);
    } else if (!state_.document) {
        const Command* sample = scene_.commands.find("help_sample");
        draw_welcome_view(state_.preferences.recent_files, sample != nullptr && sample->can_run(state_), fonts().title,
                          requests_);
    } else {
        draw_nothing_to_draw(state_.preferences.show_query, requests_);
    }
    ImGui::End();
}

void PanelPainter::draw_tabs() {
    std::optional<TimelineTab> timeline_tab;
    if (!state_.devices.empty()) {
        timeline_tab = state_.document->icicles.empty()
                           ? TimelineTab{"timeline", "Every allocation over time"}
                           : TimelineTab{"iteration", "What one training iteration keeps (reconstructed)"};
    }
    draw_picture_tabs(state_.icicle, state_.icicles(), timeline_tab, requests_);
    if (state_.shows_flame_graph()) {
        const Timeline& timeline = state_.document->analyses->device(state_.device_index).timeline();
        const auto& selected = state_.shown_icicle_view().selected;
        const bool has_call = selected && state_.flame.graph->nodes[*selected].is_call();
        draw_flame_options(state_.flame, {flame_moment_text(timeline, state_.flame.shown), state_.document->path, has_call},
                           requests_);
    }
}

/// The thumb buttons of the mouse go back and forward, as in a browser.
void PanelPainter::follow_mouse_buttons() {
    constexpr int k_back_button = 3;
    constexpr int k_forward_button = 4;
    if (!ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) return;
    if (ImGui::IsMouseClicked(k_back_button)) requests_.ask(RunCommand{"view_back"});
    if (ImGui::IsMouseClicked(k_forward_button)) requests_.ask(RunCommand{"view_forward"});
}

void PanelPainter::draw_banners() {
    if (!state_.document) return;
    if (state_.on_disk == DiskChange::changed) draw_reload_banner(state_.document->path, requests_);
    if (!state_.pair_offer.empty()) draw_pair_banner(state_.pair_offer, requests_);
    const Snapshot& snapshot = *state_.document->snapshot;
    const bool shows_picture = state_.shown_icicle() != nullptr || state_.current_timeline() != nullptr;
    if (shows_picture && !state_.import_log.is_dismissed && notable_entries(snapshot.log) > 0)
        draw_import_log_banner(snapshot, requests_);
}

/// Computes the bytes in the legend of colours for the moment under the mouse, or for the peak.
void PanelPainter::count_at_cursor(const Timeline& timeline) {
    const std::uint32_t last = timeline.tick_count() == 0 ? 0 : timeline.tick_count() - 1;
    const std::uint32_t tick =
        state_.timeline.has_cursor ? std::min(state_.timeline.cursor_tick, last) : timeline.peak_tick();
    if (!state_.groups.groups.empty() && state_.groups.tick != tick) mesh::count_live_bytes(state_.groups, timeline, tick);
}

void PanelPainter::draw_timeline(const Timeline& timeline) {
    TimelineState& picture = state_.timeline;
    if (state_.search.is_open) {
        const auto cursor_tick = picture.has_cursor ? std::optional(picture.cursor_tick) : std::nullopt;
        draw_search_bar(state_.search, {timeline, state_.selected(), cursor_tick, why_no_search_sql(state_)}, requests_);
    }
    count_at_cursor(timeline);
    DeviceState& device = state_.current_device();
    const Overlays& overlays = state_.current_overlays();
    const std::vector<OverlayItem> items = overlay_items(overlays, state_.preferences.overlays);
    render::TimelineCanvas& canvas = scene_.pictures.canvas();
    const auto& hits = state_.search.hits;
    const bool is_at_hit = hits && hits->place_of(state_.selected());
    draw_timeline_view(picture,
                       {timeline, state_.current_mesh(), canvas, device.axis, overlays, items, state_.current_limits(),
                        state_.preferences.tracks, state_.groups, state_.search.group(), clock_start_us(state_),
                        state_.preferences.show_minimap, hits, is_at_hit ? hits_words(state_.search, state_.selected()) : "",
                        state_.search.emphasis.get(), notes_in_picture(state_), state_.query_tracks,
                        [this](ImVec2 pos) { return draw_picture_bar(scene_.commands, state_, pos, requests_); },
                        state_.document->devices[state_.device_index].timeline.get()},
                       device, requests_);
    for (const DockRow& row : scene_.docked) {
        if (row.draw_in_picture) row.draw_in_picture(requests_);
    }
    draw_note(why_nothing_is_drawn(canvas), picture.projection);
}

void PanelPainter::draw_map_panel(const Area& area) {
    begin_panel("Address map", area, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    if (const Timeline* timeline = state_.current_timeline()) {
        const bool is_of_picture = state_.current_kind() == ViewKind::allocations && state_.shown_icicle() == nullptr;
        draw_address_map_view(state_.address_map,
                              {*timeline, is_of_picture ? state_.selected() : AllocationId::none(), is_of_picture},
                              requests_);
    }
    ImGui::End();
}

void PanelPainter::draw_details_panel(const Area& area) {
    begin_focusable_panel("Details", area, Pane::details);
    if (const stacks::Icicle* icicle = state_.shown_icicle()) {
        draw_icicle_details(*icicle, state_.shown_icicle_view().selected, requests_);
        ImGui::End();
        return;
    }
    draw_side_pages(state_, scene_.docked, requests_);
    ImGui::End();
}

void PanelPainter::draw_query_panel(const Area& area) {
    begin_focusable_panel("Query", area, Pane::query, ImGuiWindowFlags_NoScrollbar);
    if (state_.query.is_open)
        draw_query_pane(state_.query, state_.document.get(), state_.preferences, requests_);
    else
        draw_query_line(state_.query);
    ImGui::End();
}

void PanelPainter::draw_status_panel(const Area& area) {
    ImGui::PushStyleColor(ImGuiCol_WindowBg, palette().window);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
    begin_panel("Status", area, ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar);
    draw_status_bar({file_text(state_), cursor_text(state_), state_.notice,
                     state_.show_frame_times ? fmt::format("{:.1f} ms", scene_.frame_ms) : ""});
    ImGui::End();
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
}

}  // namespace

Area draw_panels(AppState& state, const PanelScene& scene, Requests& requests) {
    return PanelPainter(state, scene, requests).draw_panels();
}

}  // namespace snapviewer
