#include "app/features/picture_panel/picture_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/features/reports/icicle.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/colouring.h"
#include "app/features/timeline/timeline_ui.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer::picture_panel {
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
    board.docked.push_back({.dock = Dock::menu_bar,
                            .is_there = has_picture,
                            .draw = [this](const Area& /*area*/, Requests& requests) { draw_switches(requests); }});
    board.docked.push_back({.dock = Dock::menu, .is_there = has_picture, .menu = Menu::colour});
    board.docked.push_back(
        {.dock = Dock::menu,
         .is_there = [this](const Session& session) { return has_picture(session) && !overlays().empty(); },
         .menu = Menu::overlays,
         .draw = [this](const Area& /*area*/, Requests& requests) { draw_overlays_menu(requests); }});
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
    session_.under_cursor = cursor_text();
}

void PicturePanel::draw_tabs(Requests& requests) {
    std::optional<reports::TimelineTab> timeline_tab;
    if (!session_.devices.empty()) {
        timeline_tab = session_.document->icicles.empty()
                           ? reports::TimelineTab{"timeline", "Every allocation over time"}
                           : reports::TimelineTab{"iteration", "What one training iteration keeps (reconstructed)"};
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
    const std::vector<OverlayItem> items = overlays();
    render::TimelineCanvas& canvas = pictures_.canvas();
    TimelineScene scene{timeline,
                        session_.current_mesh(),
                        canvas,
                        device.axis,
                        session_.current_overlays(),
                        items,
                        session_.current_limits(),
                        session_.preferences.tracks,
                        session_.groups};
    scene.highlight = &session_.highlight;
    scene.clock_start_us = clock_start_us(session_);
    scene.has_minimap = session_.preferences.show_minimap;
    scene.query_tracks = session_.timeline.query_tracks;
    scene.draw_bar = [&](ImVec2 pos) { return draw_bar(pos, requests); };
    scene.allocations = session_.document->devices[session_.device_index].timeline.get();
    draw_timeline_view(picture, scene, device, requests);
    for (const DockRow& row : board_.docked) {
        if (row.draw_in_picture) row.draw_in_picture(requests);
    }
    draw_note(why_nothing_is_drawn(canvas), picture.projection);
}

std::string PicturePanel::cursor_text() const {
    const Timeline* timeline = session_.current_timeline();
    if (timeline == nullptr || !session_.timeline.has_cursor) return "";
    const double bytes = std::max(0.0, session_.timeline.cursor_bytes);
    std::string text = moment_text(*timeline, session_.current_device().axis, session_.timeline.cursor_x) + ", " +
                       format_bytes(static_cast<std::uint64_t>(bytes));
    if (session_.timeline.hovered.is_some()) {
        const AllocationSummary summary = summarise(*timeline, session_.timeline.hovered);
        text += "  ·  " + summary.size + (summary.own_line.empty() ? "" : "  ·  " + summary.own_line);
    }
    return text;
}

std::string PicturePanel::file_note() const {
    const Timeline* timeline = session_.current_timeline();
    if (timeline == nullptr) return "";
    return fmt::format("{}  ·  {}  ·  {}  ·  {}", picture_name(*timeline, session_.current_device().axis),
                       counted(*timeline, timeline->allocation_count()), counted(timeline->trace().events.size(), "event"),
                       labelled_peak_text(*timeline));
}

// The choices in the menu and above the picture.

namespace {

constexpr float k_bar_gap_px = 4;

float combo_width(const char* text) { return ImGui::CalcTextSize(text).x + scaled(48); }

float kind_switch_width() { return combo_width(command_row(CommandId::view_allocations).words); }

std::string coloured_by(const Colouring& colouring) {
    return fmt::format("Colour: {}", command_row(colouring.command).words);
}

/// Width of the widest choice, so that the legend does not move when another colouring is chosen.
float colour_combo_width() {
    float widest = 0;
    for (const Colouring& each : colourings()) widest = std::max(widest, ImGui::CalcTextSize(coloured_by(each).c_str()).x);
    return widest + 2 * ImGui::GetStyle().FramePadding.x + ImGui::GetFrameHeight();
}

}  // namespace

/// Draws the entry of a command in an open combo.
void PicturePanel::draw_choice(const Command& command, const std::string& rect, Requests& requests) const {
    const auto flags = command.can_run(session_) ? ImGuiSelectableFlags_None : ImGuiSelectableFlags_Disabled;
    if (ImGui::Selectable(command.words, command.is_on(session_), flags)) requests.ask(RunCommand{command.id});
    observe_item(rect);
    hover_tooltip(command.doc(session_));
}

/// Draws the choice of the view of a device, `from_right` units from the window's right edge.
void PicturePanel::draw_kind_switch(float from_right, Requests& requests) const {
    const float width = kind_switch_width();
    ImGui::SameLine(ImGui::GetWindowWidth() - width - from_right);
    ImGui::SetNextItemWidth(width);
    if (!ImGui::BeginCombo("##shown", command_row(command_of(session_.current_kind())).words)) {
        hover_tooltip(with_keys("Which picture of the device is shown", CommandId::view_next_kind));
        observe_item("shows");
        return;
    }
    for (std::size_t i = 0; i < k_view_kinds; ++i)
        draw_choice(board_.commands.at(command_of(static_cast<ViewKind>(i))), "shows_" + view_kind_names()[i], requests);
    ImGui::EndCombo();
}

/// Draws the choice of the view and, if there are several devices, the choice of the device.
void PicturePanel::draw_switches(Requests& requests) const {
    const float kind_width = kind_switch_width() + scaled(8);
    if (session_.devices.size() < 2) return draw_kind_switch(scaled(12), requests);
    const std::string current = device_title(session_.devices[session_.device_index]);
    const float room = ImGui::GetContentRegionAvail().x - kind_width - scaled(24);
    const float width = std::clamp(combo_width(current.c_str()), scaled(90), std::max(scaled(90), room));
    draw_kind_switch(width + scaled(20), requests);
    ImGui::SameLine(ImGui::GetWindowWidth() - width - scaled(12));
    ImGui::SetNextItemWidth(width);
    if (!ImGui::BeginCombo("##device", current.c_str())) return observe_item("device");
    for (std::size_t i = 0; i < session_.devices.size(); ++i) {
        if (ImGui::Selectable(device_title(session_.devices[i]).c_str(), i == session_.device_index))
            requests.ask(ShowDevice{i});
        observe_item("device_" + std::to_string(i));
    }
    ImGui::EndCombo();
}

std::vector<OverlayItem> PicturePanel::overlays() const {
    return overlay_items(session_.current_overlays(), session_.preferences.overlays);
}

void PicturePanel::draw_overlays_menu(Requests& requests) const {
    for (const OverlayItem& overlay : overlays()) {
        if (ImGui::MenuItem(overlay.name.c_str(), nullptr, overlay.is_shown))
            requests.ask(ShowOverlay{overlay.id, !overlay.is_shown});
        observe_item("menu_overlay_" + overlay.id);
        hover_tooltip(overlay.doc);
    }
}

void PicturePanel::draw_colour_combo(Requests& requests) const {
    const auto shown = std::ranges::find(colourings(), session_.colour_by, &Colouring::by);
    ImGui::SetNextItemWidth(colour_combo_width());
    if (!ImGui::BeginCombo("##colour", coloured_by(*shown).c_str(), ImGuiComboFlags_HeightLargest))
        return observe_item("button_colour");
    for (const MenuEntry& entry : board_.commands.entries_of(Menu::colour))
        draw_choice(*entry.command, std::string("button_") + entry.command->name, requests);
    ImGui::EndCombo();
}

/// Draws a button that is highlighted while its command is on.
void PicturePanel::draw_switch(CommandId id, Requests& requests) const {
    const Command& command = board_.commands.at(id);
    ImGui::SameLine(0, scaled(k_bar_gap_px));
    ImGui::BeginDisabled(!command.can_run(session_));
    if (toggle_button(command.words, command.is_on(session_), std::string("button_") + command.name,
                      with_keys(command.words, id)))
        requests.ask(RunCommand{id});
    ImGui::EndDisabled();
}

/// Draws the most used controls of the picture, to the left of its legend and as high: the colours, the flame graph and the
/// address map. Draws from `pos` in the current window. Returns the width.
float PicturePanel::draw_bar(ScreenPoint pos, Requests& requests) const {
    const float pad_y = (overlay_legend_height() - ImGui::GetTextLineHeight()) / 2 - scaled(2);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {scaled(7), pad_y});
    ImGui::SetCursorScreenPos({pos.x + scaled(2), pos.y + scaled(2)});
    draw_colour_combo(requests);
    for (const CommandId id : {CommandId::view_flame, CommandId::view_address_map}) draw_switch(id, requests);
    ImGui::PopStyleVar();
    return ImGui::GetItemRectMax().x + scaled(2 * k_bar_gap_px) - pos.x;
}

}  // namespace snapviewer::picture_panel
