#include "app/shell/picture_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/features/emphasis.h"
#include "app/features/files/files.h"
#include "app/features/files/files_ui.h"
#include "app/features/flame/flame.h"
#include "app/features/notes/notes.h"
#include "app/features/query/queries.h"
#include "app/features/reports/icicle_ui.h"
#include "app/features/search/search.h"
#include "app/features/timeline/timeline_ui.h"
#include "app/shell/bars.h"
#include "app/ui/fonts.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"
#include "core/analysis/findings/analyses.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

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

/// The thumb buttons of the mouse go back and forward, as in a browser.
void follow_mouse_buttons(Requests& requests) {
    constexpr int k_back_button = 3;
    constexpr int k_forward_button = 4;
    if (!ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) return;
    if (ImGui::IsMouseClicked(k_back_button)) requests.ask(RunCommand{"view_back"});
    if (ImGui::IsMouseClicked(k_forward_button)) requests.ask(RunCommand{"view_forward"});
}

}  // namespace

void PicturePanel::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::panel, .order = 100, .draw = [this](const Area& area, Requests& requests) {
                                draw_panel(area, requests);
                            }});
}

void PicturePanel::draw_panel(const Area& area, Requests& requests) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    // The timeline fills the space beside its picture itself, so a background would be painted twice.
    begin_focusable_panel("Timeline", area, Pane::timeline, state_.focus_next, state_.focused,
                          ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNavInputs |
                              (state_.current_timeline() ? ImGuiWindowFlags_NoBackground : 0));
    ImGui::PopStyleVar(2);
    if (state_.document) draw_tabs(requests);
    follow_mouse_buttons(requests);
    draw_banners(requests);
    if (const stacks::Icicle* icicle = state_.shown_icicle()) {
        draw_icicle_view(state_.shown_icicle_view(), *icicle, requests);
    } else if (const Timeline* timeline = state_.current_timeline()) {
        draw_timeline(*timeline, requests);
    } else if (!state_.document) {
        const Command* sample = board_.commands.find("help_sample");
        draw_welcome_view(state_.preferences.recent_files, sample != nullptr && sample->can_run(state_), fonts().title,
                          requests);
    } else {
        draw_nothing_to_draw(state_.preferences.show_query, requests);
    }
    ImGui::End();
}

void PicturePanel::draw_tabs(Requests& requests) {
    std::optional<TimelineTab> timeline_tab;
    if (!state_.devices.empty()) {
        timeline_tab = state_.document->icicles.empty()
                           ? TimelineTab{"timeline", "Every allocation over time"}
                           : TimelineTab{"iteration", "What one training iteration keeps (reconstructed)"};
    }
    draw_picture_tabs(state_.icicle, state_.icicles(), timeline_tab, requests);
    if (state_.shows_flame_graph()) {
        const Timeline& timeline = state_.document->analyses->device(state_.device_index).timeline();
        const auto& selected = state_.shown_icicle_view().selected;
        const bool has_call = selected && state_.flame.graph->nodes[*selected].is_call();
        draw_flame_options(state_.flame, {flame_moment_text(timeline, state_.flame.shown), state_.document->path, has_call},
                           requests);
    }
}

void PicturePanel::draw_banners(Requests& requests) {
    if (!state_.document) return;
    if (state_.on_disk == DiskChange::changed) draw_reload_banner(state_.document->path, requests);
    if (!state_.pair_offer.empty()) draw_pair_banner(state_.pair_offer, requests);
    const Snapshot& snapshot = *state_.document->snapshot;
    const bool shows_picture = state_.shown_icicle() != nullptr || state_.current_timeline() != nullptr;
    if (shows_picture && !state_.import_log.is_dismissed && notable_entries(snapshot.log) > 0)
        draw_import_log_banner(snapshot, requests);
}

/// Computes the bytes in the legend of colours for the moment under the mouse, or for the peak.
void PicturePanel::count_at_cursor(const Timeline& timeline) {
    const std::uint32_t last = timeline.tick_count() == 0 ? 0 : timeline.tick_count() - 1;
    const std::uint32_t tick =
        state_.timeline.has_cursor ? std::min(state_.timeline.cursor_tick, last) : timeline.peak_tick();
    if (!state_.groups.groups.empty() && state_.groups.tick != tick) mesh::count_live_bytes(state_.groups, timeline, tick);
}

void PicturePanel::draw_timeline(const Timeline& timeline, Requests& requests) {
    TimelineState& picture = state_.timeline;
    if (state_.search.is_open) {
        const auto cursor_tick = picture.has_cursor ? std::optional(picture.cursor_tick) : std::nullopt;
        draw_search_bar(state_.search, {timeline, state_.selected(), cursor_tick, why_no_search_sql(state_)}, requests);
    }
    count_at_cursor(timeline);
    DeviceState& device = state_.current_device();
    const Overlays& overlays = state_.current_overlays();
    const std::vector<OverlayItem> items = overlay_items(overlays, state_.preferences.overlays);
    render::TimelineCanvas& canvas = pictures_.canvas();
    const auto& hits = state_.search.hits;
    const bool is_at_hit = hits && hits->place_of(state_.selected());
    draw_timeline_view(picture,
                       {timeline, state_.current_mesh(), canvas, device.axis, overlays, items, state_.current_limits(),
                        state_.preferences.tracks, state_.groups, state_.search.group(), clock_start_us(state_),
                        state_.preferences.show_minimap, hits, is_at_hit ? hits_words(state_.search, state_.selected()) : "",
                        state_.search.emphasis.get(), notes_in_picture(state_), state_.query_tracks,
                        [&](ImVec2 pos) { return draw_picture_bar(board_.commands, state_, pos, requests); },
                        state_.document->devices[state_.device_index].timeline.get()},
                       device, requests);
    for (const DockRow& row : board_.docked) {
        if (row.draw_in_picture) row.draw_in_picture(requests);
    }
    draw_note(why_nothing_is_drawn(canvas), picture.projection);
}

}  // namespace snapviewer
