#include "app/features/timeline/timeline_ui.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/canvas_ui.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/mesh/mesh.h"
#include "core/timeline/totals.h"

namespace snapviewer {
namespace {

using Grip = MinimapState::Grip;

constexpr float k_strip_px = 34;
constexpr float k_strip_gap_px = 4;
constexpr float k_min_panel_px = 380;
constexpr float k_edge_px = 5;
constexpr std::size_t k_minimap_parts = 4096;

/// Geometry of the strip, with the mapping between pixels and the recording.
struct Strip {
    ImVec2 min, max;
    double x_end = 1;

    double x_at(float px) const { return static_cast<double>(px - min.x) / static_cast<double>(max.x - min.x) * x_end; }
    float px_of(double x) const { return min.x + static_cast<float>(std::clamp(x / x_end, 0.0, 1.0)) * (max.x - min.x); }
};

void update_totals(MinimapState& state, const Timeline& timeline, Axis axis) {
    if (state.timeline == &timeline && state.axis == axis) return;
    state.timeline = &timeline;
    state.axis = axis;
    state.totals = highest_totals(timeline, axis, k_minimap_parts);
}

void draw_totals(ImDrawList* list, const Strip& strip, const MinimapState& state, std::uint64_t peak_bytes) {
    const auto columns = static_cast<std::size_t>(std::max(1.0F, strip.max.x - strip.min.x));
    const double height = 1.1 * std::max(1.0, static_cast<double>(peak_bytes));
    const auto top_of = [&](std::size_t column) {
        const auto highest = static_cast<double>(highest_in_column(state.totals, column, columns));
        return std::round(strip.max.y - (strip.max.y - strip.min.y) * static_cast<float>(highest / height));
    };
    for_each_run(columns, top_of, [&](std::size_t begin, std::size_t end, float top) {
        const float left = strip.min.x + static_cast<float>(begin);
        const float right = strip.min.x + static_cast<float>(end);
        list->AddRectFilled({left, top}, {right, strip.max.y}, palette().accent_soft);
        list->AddRectFilled({left, top}, {right, top + scaled(1.5F)}, palette().accent);
    });
}

void draw_window(ImDrawList* list, const Strip& strip, float left, float right, bool is_active) {
    const ImU32 shade = with_alpha(palette().window, 0xa0);
    list->AddRectFilled(strip.min, {left, strip.max.y}, shade);
    list->AddRectFilled({right, strip.min.y}, strip.max, shade);
    const ImU32 edge = is_active ? palette().text : palette().text_dim;
    list->AddRect({left, strip.min.y}, {right, strip.max.y}, edge, 0, 0, scaled(is_active ? 1.5F : 1));
}

Grip grip_at(const Strip& strip, const View& view, float mouse_x) {
    const float left = strip.px_of(view.x_begin);
    const float right = strip.px_of(view.x_end);
    // The grip areas extend outwards and only a quarter inwards, so that a narrow window can still be moved.
    const float inner = std::min(scaled(k_edge_px), (right - left) / 4);
    const float outer = scaled(k_edge_px);
    if (mouse_x >= left - outer && mouse_x <= left + inner) return Grip::left;
    if (mouse_x >= right - inner && mouse_x <= right + outer) return Grip::right;
    return mouse_x > left && mouse_x < right ? Grip::window : Grip::none;
}

void move_window(View& view, double begin, double x_end) {
    const double width = view.width();
    view.x_begin = std::clamp(begin, 0.0, std::max(0.0, x_end - width));
    view.x_end = view.x_begin + width;
}

void follow_grip(const MinimapState& state, View& view, double x, const ViewLimits& limits) {
    switch (state.grip) {
        case Grip::none: return;
        case Grip::window: return move_window(view, x - state.held_at, limits.x_end);
        case Grip::left: view.x_begin = std::clamp(x, 0.0, std::max(0.0, view.x_end - limits.min_width)); return;
        case Grip::right:
            view.x_end =
                std::clamp(x, view.x_begin + limits.min_width, std::max(limits.x_end, view.x_begin + limits.min_width));
            return;
    }
}

void press(MinimapState& state, const Strip& strip, View& view, double x, const ViewLimits& limits) {
    state.grip = grip_at(strip, view, ImGui::GetIO().MousePos.x);
    if (state.grip == Grip::none) {
        move_window(view, x - view.width() / 2, limits.x_end);
        state.grip = Grip::window;
    }
    state.held_at = x - view.x_begin;
}

/// Height of the strip with the gap below it; 0 if the panel is too low for it.
float minimap_height(float panel_height) {
    return panel_height < scaled(k_min_panel_px) ? 0 : scaled(k_strip_px) + scaled(k_strip_gap_px);
}

/// Draws the totals of the whole recording from `pos` on, with a window that marks the visible range. The user can drag the
/// window or its edges; a click beside it centres the window there; a double click shows everything. Changes `view`.
void draw_minimap(MinimapState& state, const TimelineScene& scene, View& view, ImVec2 pos, float width) {
    const ViewLimits& limits = scene.limits;
    update_totals(state, scene.timeline, scene.axis);
    const Strip strip{pos, {pos.x + width, pos.y + scaled(k_strip_px)}, std::max(limits.x_end, 1e-9)};
    ImGui::SetCursorScreenPos(strip.min);
    click_area("minimap", {strip.max.x - strip.min.x, strip.max.y - strip.min.y});
    observe_item("minimap");
    const bool is_active = ImGui::IsItemHovered() || ImGui::IsItemActive();
    const double x = strip.x_at(ImGui::GetIO().MousePos.x);
    if (ImGui::IsItemActivated()) press(state, strip, view, x, limits);
    if (!ImGui::IsItemActive()) state.grip = Grip::none;
    if (ImGui::GetIO().MouseDelta.x != 0) follow_grip(state, view, x, limits);
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        view.x_begin = 0;
        view.x_end = std::max(limits.x_end, limits.min_width);
    }
    const Grip under = state.is_dragging() ? state.grip : grip_at(strip, view, ImGui::GetIO().MousePos.x);
    if (is_active && (under == Grip::left || under == Grip::right)) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);

    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(strip.min, strip.max, palette().canvas);
    draw_totals(list, strip, state, scene.timeline.peak_bytes());
    const float left = std::floor(strip.px_of(view.x_begin));
    const float right = std::max(left + scaled(3), std::ceil(strip.px_of(view.x_end)));
    draw_window(list, strip, left, right, is_active);
    observe_item("minimap_window", left, strip.min.y, right, strip.max.y);
}

constexpr float k_grip_px = 5.0F;  // height of the grip between picture and tracks
/// Maximum life in ticks of an allocation that is outlined on hover. Computing an outline takes time proportional to its
/// life.
constexpr std::uint32_t k_max_hovered_life = 100'000;

Projection place_canvas(const View& view, ImVec2 pos, ImVec2 size) {
    const AxisMargins margins = axis_margins();
    const ImVec2 least(scaled(40), scaled(40));
    Projection projection;
    projection.view = view;
    projection.min = {std::floor(pos.x + margins.left), std::floor(pos.y + margins.top)};
    projection.max = {std::floor(std::max(projection.min.x + least.x, pos.x + size.x - margins.right)),
                      std::floor(std::max(projection.min.y + least.y, pos.y + size.y - margins.bottom))};
    return projection;
}

void update_outline(Outline& outline, const TimelineScene& scene, AllocationId id) {
    if (outline.id == id) return;
    outline = id.is_some() ? make_outline(scene.timeline, scene.axis, id) : Outline{};
}

void zoom_by_wheel(const Projection& projection, DeviceState& device, const ViewLimits& limits) {
    const ImGuiIO& io = ImGui::GetIO();
    if (turned_notches() != 0) {
        device.view = wheeled_view({device.view, projection.min, projection.max}, limits);
    } else if (io.MouseWheelH != 0) {
        device.view = pan_view(device.view, -0.05 * static_cast<double>(io.MouseWheelH) * device.view.width(), 0, limits);
    }
}

void drag(TimelineState& state, const Projection& projection, DeviceState& device, const ViewLimits& limits) {
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, k_drag_threshold_px)) state.is_dragging = true;
    if (state.is_dragging) device.view = dragged_view(state.pressed_view, projection, limits);
}

/// Finds the tick and the allocation under the mouse. If several ticks share a pixel column, uses the tick that the
/// renderer shows there.
void find_hovered(TimelineState& state, const TimelineScene& scene, const Projection& projection, ImVec2 mouse) {
    const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
    const auto pixel_begin = [](float place, float from, float pixels) {
        return from + std::floor((place - from) * pixels) / pixels;
    };
    const float left = pixel_begin(mouse.x, projection.min.x, scale.x);
    const float top = pixel_begin(mouse.y, projection.min.y, scale.y);
    const double bytes = projection.y_at(top + 0.5F / scale.y);
    double x_begin = projection.x_at(left);
    double x_end = projection.x_at(left + 1 / scale.x);
    const bool ticks_are_wide = scene.axis == Axis::steps && x_end - x_begin <= 1;
    if (ticks_are_wide) x_begin = x_end = std::midpoint(x_begin, x_end);
    state.cursor_tick = mesh::shown_tick(scene.timeline, scene.mesh, scene.axis, x_begin, x_end);
    const auto picked = mesh::pick_in_column(scene.timeline, scene.mesh, scene.axis, x_begin, x_end, bytes);
    state.hovered = picked ? picked->id : AllocationId::none();
    state.hovered_low_bytes = picked ? picked->low_bytes : 0;
}

/// Returns the view of a box between two points; at the current height if `steps_only`.
View box_view(const Projection& projection, ImVec2 from, ImVec2 to, bool steps_only) {
    const auto [left, right] = std::minmax(from.x, to.x);
    const auto [top, bottom] = std::minmax(from.y, to.y);
    View view = projection.view;
    view.x_begin = projection.x_at(left);
    view.x_end = projection.x_at(right);
    if (steps_only) return view;
    view.y_begin = projection.y_at(bottom);
    view.y_end = projection.y_at(top);
    return view;
}

bool is_box(ImVec2 from, ImVec2 to, bool steps_only) {
    const float least = 2 * k_drag_threshold_px;
    return std::abs(to.x - from.x) >= least && (steps_only || std::abs(to.y - from.y) >= least);
}

/// Zooms into a box that the user draws with the right button; with Shift, only its range of steps counts.
void follow_box(TimelineState& state, const Projection& projection, bool is_hovered, Requests& requests) {
    if (is_hovered && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) state.box_from = ImGui::GetIO().MousePos;
    if (!state.box_from) return;
    const bool steps_only = ImGui::GetIO().KeyShift;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const ImVec2 to(std::clamp(mouse.x, projection.min.x, projection.max.x),
                    std::clamp(mouse.y, projection.min.y, projection.max.y));
    if (ImGui::IsMouseDown(ImGuiMouseButton_Right)) return;
    if (is_box(*state.box_from, to, steps_only))
        requests.ask(ShowPart{box_view(projection, *state.box_from, to, steps_only)});
    state.box_from.reset();
}

void draw_box(const TimelineState& state) {
    if (!state.box_from) return;
    const bool steps_only = ImGui::GetIO().KeyShift;
    const Projection& canvas = state.projection;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (!is_box(*state.box_from, mouse, steps_only)) return;
    const auto [left, right] = std::minmax(state.box_from->x, mouse.x);
    const auto [top, bottom] = std::minmax(state.box_from->y, mouse.y);
    const ImVec2 min(left, steps_only ? canvas.min.y : top);
    const ImVec2 max(right, steps_only ? canvas.max.y : bottom);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(canvas.min, canvas.max, true);
    list->AddRectFilled(min, max, with_alpha(palette().accent, 0x30));
    list->AddRect(min, max, palette().accent);
    list->PopClipRect();
}

/// Measures a range while the user drags with Ctrl, instead of moving the picture.
void follow_ruler(RulerState& ruler, const TimelineScene& scene, const Projection& projection) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const double x = std::clamp(projection.x_at(mouse.x), 0.0, scene.limits.x_end);
    const double y = projection.y_at(std::clamp(mouse.y, projection.min.y, projection.max.y));
    if (ImGui::IsItemActivated() && ImGui::GetIO().KeyCtrl) {
        ruler = RulerState{};
        ruler.is_measuring = true;
        ruler.x_from = x;
        ruler.y_from = y;
    }
    if (!ruler.is_measuring) return;
    ruler.x_to = x;
    ruler.y_to = y;
    ruler.is_shown = ruler.is_shown || ImGui::IsMouseDragging(ImGuiMouseButton_Left, k_drag_threshold_px);
    measure(ruler, scene.timeline, scene.axis);
    if (!ImGui::IsItemActive()) ruler.is_measuring = false;
}

void follow_mouse(TimelineState& state, const TimelineScene& scene, DeviceState& device, Requests& requests) {
    const Projection projection{device.view, state.projection.min, state.projection.max};
    const ViewLimits& limits = scene.limits;
    const bool is_hovered = ImGui::IsItemHovered();
    if (ImGui::IsItemActivated()) {
        state.pressed_view = device.view;
        state.is_dragging = false;
    }
    const bool has_measured = state.ruler.is_measuring;
    follow_ruler(state.ruler, scene, projection);
    if (ImGui::IsItemActive() && !state.ruler.is_measuring) drag(state, projection, device, limits);
    const bool is_clicked = !has_measured && is_item_let_go(state.is_dragging);
    if (ImGui::IsItemDeactivated()) state.is_dragging = false;
    if (is_hovered) zoom_by_wheel(projection, device, limits);
    follow_box(state, projection, is_hovered, requests);

    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const Projection now{device.view, projection.min, projection.max};
    state.has_cursor = is_hovered || state.is_dragging;
    state.hovered = AllocationId::none();
    state.hovered_note.reset();
    if (!state.has_cursor) return;
    state.cursor_x = now.x_at(mouse.x);
    state.cursor_bytes = now.y_at(mouse.y);
    if (!state.is_dragging) {
        find_hovered(state, scene, now, mouse);
        state.hovered_note = note_under(state.notes, now, mouse);
    }
    if (state.hovered_note) {
        if (is_clicked && is_hovered) requests.ask(EditNote{state.notes[*state.hovered_note].id});
        return;
    }
    if (is_hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        if (state.hovered.is_some()) requests.ask(SelectAllocation{state.hovered});
        requests.ask(state.hovered.is_some() ? RunCommand{CommandId::view_zoom} : RunCommand{CommandId::view_fit});
    } else if (is_clicked && is_hovered) {
        state.ruler = RulerState{};
        requests.ask(SelectAllocation{state.hovered});
        requests.ask(ListLive{state.cursor_tick});
    }
}

/// Returns the visible box of the allocation under the mouse: its whole life, at the height it has under the mouse.
PixelBox hovered_box(const TimelineState& state, const TimelineScene& scene) {
    const Timeline& timeline = scene.timeline;
    const AllocationColumns& allocations = timeline.trace().allocations;
    const double size_bytes = static_cast<double>(allocations.size_bytes[state.hovered.value]);
    const Projection& canvas = state.projection;
    const auto px_of = [&](std::uint32_t tick, double bytes) {
        return ImVec2(canvas.column_of(place_of_tick(timeline, scene.axis, tick)), canvas.row_of(bytes));
    };
    return {px_of(timeline.first_tick(state.hovered), state.hovered_low_bytes + size_bytes),
            px_of(timeline.last_tick(state.hovered), state.hovered_low_bytes)};
}

/// Returns the tooltip for a point without an allocation: its position, and the values of the curves there.
std::vector<TooltipLine> place_words(const TimelineState& state, const TimelineScene& scene) {
    if (!state.has_cursor || state.cursor_x < 0 || state.cursor_x > scene.limits.x_end) return {};
    std::vector<TooltipLine> lines = curve_words(scene, state.cursor_x);
    if (!lines.empty())
        lines.insert(lines.begin(), {moment_text(scene.timeline, scene.axis, state.cursor_x), palette().text_dim});
    return lines;
}

std::vector<TooltipLine> allocation_words(const TimelineScene& scene, AllocationId id) {
    const AllocationSummary summary = summarise(scene.timeline, id);
    std::vector<TooltipLine> lines = {{summary.size}};
    if (!summary.what.empty()) lines.push_back({summary.what});
    lines.push_back({summary.life, palette().text_dim});
    if (!summary.origin.empty()) lines.push_back({summary.origin, palette().text_dim});
    if (!summary.own_line.empty()) lines.push_back({summary.freed_by + summary.own_line, palette().accent});
    return lines;
}

void draw_tooltip(const TimelineState& state, const TimelineScene& scene) {
    if (state.is_dragging || state.ruler.is_measuring || state.box_from) return;
    const PixelBox picture{state.projection.min, state.projection.max};
    if (state.hovered_note) {
        tooltip_beside(box_at_mouse(), {{state.notes[*state.hovered_note].text}}, picture);
    } else if (state.overlays.hovered_marker) {
        const Marker& marker = scene.overlays.markers[*state.overlays.hovered_marker];
        tooltip_beside(box_at_mouse(), marker_words(scene, marker, state.overlays.hovered_facts));
    } else if (state.hovered.is_some()) {
        tooltip_beside(hovered_box(state, scene), allocation_words(scene, state.hovered), picture);
    } else if (const std::vector<TooltipLine> lines = place_words(state, scene); !lines.empty()) {
        tooltip_beside(box_at_mouse(), lines, picture);
    }
}

void draw_outlines(TimelineState& state, const TimelineScene& scene, const DeviceState& device) {
    const Timeline& timeline = scene.timeline;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool is_short = state.hovered.is_some() &&
                          timeline.last_tick(state.hovered) - timeline.first_tick(state.hovered) < k_max_hovered_life;
    update_outline(state.hovered_outline, scene, is_short ? state.hovered : AllocationId::none());
    update_outline(state.selected_outline, scene, device.selected);
    list->PushClipRect(state.projection.min, state.projection.max, true);
    if (state.hovered != device.selected) {
        draw_outline(list, state.projection, state.hovered_outline, palette().hover, scaled(1.5F));
    }
    list->PopClipRect();
    draw_selected_and_hits(scene, state.projection, state.selected_outline, state.hit_marks);
}

/// Handles the mouse over the flags of markers, which are above the canvas.
void follow_flags(TimelineState& state, const TimelineScene& scene, Requests& requests) {
    OverlayState& overlays = state.overlays;
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    overlays.hovered_marker.reset();
    if (!ImGui::IsWindowHovered() || state.is_dragging) return;
    overlays.hovered_marker = marker_under(state.projection, scene, mouse);
    if (!overlays.hovered_marker) return;
    const Marker* const marker = &scene.overlays.markers[*overlays.hovered_marker];
    const Timeline& device = scene.allocations != nullptr ? *scene.allocations : scene.timeline;
    if (std::exchange(overlays.marker_of_facts, marker) != marker)
        overlays.hovered_facts = marker_facts(device, scene.timeline, *marker);
    if (ImGui::IsMouseClicked(ImGuiMouseButton_Left)) requests.ask(SelectMarker{*overlays.hovered_marker});
}

/// Fills the current window around the picture with the colour of a panel.
void fill_surroundings(ImVec2 picture_min, ImVec2 picture_max) {
    const ImVec2 min = ImGui::GetWindowPos();
    const ImVec2 max(min.x + ImGui::GetWindowWidth(), min.y + ImGui::GetWindowHeight());
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 ground = palette().panel;
    list->AddRectFilled(min, {max.x, picture_min.y}, ground);
    list->AddRectFilled({min.x, picture_max.y}, max, ground);
    list->AddRectFilled({min.x, picture_min.y}, {picture_min.x, picture_max.y}, ground);
    list->AddRectFilled({picture_max.x, picture_min.y}, {max.x, picture_max.y}, ground);
}

/// Height of the tracks together with the grip above them; 0 if there are none or the panel is too low.
float tracks_room_height(const TimelineScene& scene, float panel_height) {
    const float natural = tracks_height(scene);
    if (natural <= 0 || panel_height < scaled(220)) return 0;
    return std::round(std::min(natural, panel_height * scene.tracks.fraction)) + scaled(k_grip_px);
}

void draw_legends(const TimelineScene& scene, ImVec2 pos, float width, Requests& requests) {
    const float bar_width = scene.draw_bar ? scene.draw_bar(pos) : 0;
    draw_overlay_legend(scene.items, {pos.x + bar_width, pos.y}, width - bar_width, &requests);
    draw_group_legend(scene.groups, scene.timeline, scene.highlighted_group(), {pos.x, pos.y + overlay_legend_height()},
                      width, requests);
}

/// Draws the grip between picture and tracks, with which the user resizes the tracks.
void drag_grip(const TimelineScene& scene, ImVec2 pos, float width, float panel_height) {
    ImGui::SetCursorScreenPos(pos);
    const float moved = splitter("tracks grip", {width, scaled(k_grip_px)}, "tracks_splitter", false).value_or(0);
    if (moved == 0) return;
    constexpr float k_min = 0.05F;
    const float most = std::clamp(tracks_height(scene) / panel_height, k_min, 0.8F);
    const float shown = std::min(scene.tracks.fraction, most);
    scene.tracks.fraction = std::clamp(shown - moved / panel_height, k_min, most);
}

void draw_tracks_below(TimelineState& state, const TimelineScene& scene, DeviceState& device, ImVec2 pos, ImVec2 size,
                       float panel_height, Requests& requests) {
    drag_grip(scene, pos, size.x, panel_height);
    const float grip = scaled(k_grip_px);
    const std::optional<double> marked =
        state.has_cursor && !state.is_dragging ? std::optional(state.cursor_x) : std::nullopt;
    draw_tracks(state.tracks, state.overlays.samples, scene, state.projection, device.view, {pos.x, pos.y + grip},
                {size.x, size.y - grip}, marked);
    if (state.tracks.to_remove) requests.ask(RemoveTrack{*state.tracks.to_remove});
    if (!state.tracks.cursor_x) return;
    const float x = std::round(static_cast<float>(state.projection.px_of_x(*state.tracks.cursor_x)));
    ImGui::GetWindowDrawList()->AddLine({x, state.projection.min.y}, {x, state.projection.max.y}, palette().hover);
}

}  // namespace

Projection draw_timeline_picture(const TimelineScene& scene, const View& view, AllocationId highlighted,
                                 OverlayState& overlays, ImVec2 pos, ImVec2 size) {
    const Projection projection = place_canvas(view, pos, size);
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_canvas(list, scene.canvas, projection, scene.axis, highlighted);
    draw_axes(list, projection, scene.axis, scene.clock_start_us);
    draw_axis_title(list, projection, axis_title(scene.timeline, scene.axis));
    draw_overlays(list, projection, scene, overlays);
    return projection;
}

void draw_selected_and_hits(const TimelineScene& scene, const Projection& projection, const Outline& selected,
                            HitMarks& marks) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRect(projection.min, projection.max, true);
    draw_outline(list, projection, selected, palette().selection_shadow, scaled(4.5F));
    draw_outline(list, projection, selected, palette().selection, scaled(2));
    if (scene.highlight != nullptr) {
        const std::shared_ptr<const Hits>& hits = scene.highlight->hits;
        draw_hit_marks(list, marks, hits, scene.timeline, scene.axis, projection);
        if (hits && hits->place_of(selected.id))
            draw_hit_pointer(list, projection, selected, hits_words(*scene.highlight, selected.id));
    }
    list->PopClipRect();
}

void draw_timeline_view(TimelineState& state, const TimelineScene& scene, DeviceState& device, Requests& requests) {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    if (room.x < scaled(160) || room.y < scaled(110)) return;
    const float map_height = scene.has_minimap ? minimap_height(room.y) : 0;
    const ImVec2 legend_pos(corner.x, corner.y + map_height);
    const float head_height = map_height + overlay_legend_height() + group_legend_height(scene.groups);
    const ImVec2 pos(corner.x, corner.y + head_height);
    const float tracks_room = tracks_room_height(scene, room.y);
    const ImVec2 size(room.x, room.y - head_height - tracks_room);
    state.projection = place_canvas(device.view, pos, size);

    ImGui::SetCursorScreenPos(state.projection.min);
    click_area("canvas", {state.projection.max.x - state.projection.min.x, state.projection.max.y - state.projection.min.y});
    observe_item("canvas");
    fill_surroundings(state.projection.min, state.projection.max);
    follow_mouse(state, scene, device, requests);
    follow_flags(state, scene, requests);
    if (map_height > 0)
        draw_minimap(state.minimap, scene, device.view, {state.projection.min.x, corner.y + scaled(4)},
                     state.projection.max.x - state.projection.min.x);

    state.projection = draw_timeline_picture(scene, device.view, device.selected, state.overlays, pos, size);
    draw_block_names(ImGui::GetWindowDrawList(), placed_names(state.names, state.projection, scene.highlighted()),
                     state.projection);
    draw_outlines(state, scene, device);
    draw_note_flags(ImGui::GetWindowDrawList(), state.notes, state.projection, state.hovered_note);
    draw_legends(scene, {state.projection.min.x - scaled(8), legend_pos.y + scaled(2)}, room.x - axis_margins().left,
                 requests);
    draw_selected_band(ImGui::GetWindowDrawList(), state.projection, scene, state.tracks);
    draw_ruler(state.ruler, scene.timeline, state.projection);
    draw_box(state);
    draw_tooltip(state, scene);
    if (tracks_room <= 0) return;
    draw_tracks_below(state, scene, device, {pos.x, pos.y + size.y}, {room.x, tracks_room}, room.y, requests);
}

}  // namespace snapviewer
