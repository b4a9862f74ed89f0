#include "app/shell/picture_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/features/reports/icicle.h"
#include "app/features/timeline/timeline_ui.h"
#include "app/shell/bars.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

std::optional<std::int64_t> clock_start_us(const Session& session) {
    const Timeline* timeline = session.current_timeline();
    if (!session.preferences.clock_times || timeline->start_time_us() == k_no_time) return std::nullopt;
    return timeline->start_time_us();
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
    if (ImGui::IsMouseClicked(k_back_button)) requests.ask(RunCommand{CommandId::view_back});
    if (ImGui::IsMouseClicked(k_forward_button)) requests.ask(RunCommand{CommandId::view_forward});
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
    begin_focusable_panel("Timeline", area, Pane::timeline, session_.focus_next, session_.focused,
                          ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNavInputs |
                              (session_.current_timeline() ? ImGuiWindowFlags_NoBackground : 0));
    ImGui::PopStyleVar(2);
    if (session_.document) draw_tabs(requests);
    follow_mouse_buttons(requests);
    for (const DockRow& row : board_.docked) {
        if (row.dock == Dock::above_picture && row.is_shown(session_)) row.draw(area, requests);
    }
    if (const stacks::Icicle* icicle = session_.shown_icicle()) {
        draw_icicle_view(session_.shown_icicle_view(), *icicle, requests);
    } else if (const Timeline* timeline = session_.current_timeline()) {
        draw_timeline(*timeline, requests);
    }
    ImGui::End();
}

void PicturePanel::draw_tabs(Requests& requests) {
    std::optional<TimelineTab> timeline_tab;
    if (!session_.devices.empty()) {
        timeline_tab = session_.document->icicles.empty()
                           ? TimelineTab{"timeline", "Every allocation over time"}
                           : TimelineTab{"iteration", "What one training iteration keeps (reconstructed)"};
    }
    draw_picture_tabs(session_.icicle, session_.icicles(), timeline_tab, requests);
}

/// Computes the bytes in the legend of colours for the moment under the mouse, or for the peak.
void PicturePanel::count_at_cursor(const Timeline& timeline) {
    const std::uint32_t last = timeline.tick_count() == 0 ? 0 : timeline.tick_count() - 1;
    const std::uint32_t tick =
        session_.timeline.has_cursor ? std::min(session_.timeline.cursor_tick, last) : timeline.peak_tick();
    if (!session_.groups.groups.empty() && session_.groups.tick != tick)
        mesh::count_live_bytes(session_.groups, timeline, tick);
}

void PicturePanel::draw_timeline(const Timeline& timeline, Requests& requests) {
    TimelineState& picture = session_.timeline;
    count_at_cursor(timeline);
    DeviceState& device = session_.current_device();
    const Overlays& overlays = session_.current_overlays();
    const std::vector<OverlayItem> items = overlay_items(overlays, session_.preferences.overlays);
    render::TimelineCanvas& canvas = pictures_.canvas();
    TimelineScene scene{timeline,
                        session_.current_mesh(),
                        canvas,
                        device.axis,
                        overlays,
                        items,
                        session_.current_limits(),
                        session_.preferences.tracks,
                        session_.groups};
    scene.highlight = &session_.highlight;
    scene.clock_start_us = clock_start_us(session_);
    scene.has_minimap = session_.preferences.show_minimap;
    scene.query_tracks = session_.timeline.query_tracks;
    scene.draw_bar = [&](ImVec2 pos) { return draw_picture_bar(board_.commands, session_, pos, requests); };
    scene.allocations = session_.document->devices[session_.device_index].timeline.get();
    draw_timeline_view(picture, scene, device, requests);
    for (const DockRow& row : board_.docked) {
        if (row.draw_in_picture) row.draw_in_picture(requests);
    }
    draw_note(why_nothing_is_drawn(canvas), picture.projection);
}

}  // namespace snapviewer
