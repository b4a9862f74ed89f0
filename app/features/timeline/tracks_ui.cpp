#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string_view>

#include "app/features/timeline/canvas_ui.h"
#include "app/features/timeline/curves_ui.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/features/timeline/timeline_ui.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/result_grid.h"
#include "app/ui/texts.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

constexpr float k_min_cut_name_px = 48;  ///< minimum width of a cut-off name; a shorter one would be useless
constexpr float k_level_px = 19.0F;
constexpr float k_curve_lane_px = 54.0F;
constexpr float k_folded_px = 19.0F;
constexpr float k_lane_gap_px = 3.0F;
constexpr std::size_t k_max_sql_bytes = 160;

/// One curve track or band track.
struct TrackRow {
    const std::string& name;
    const std::string& note;
    const BandTrack* bands = nullptr;
    const CurveTrack* curves = nullptr;
    std::size_t index = 0;              ///< index among the tracks of its kind
    const QueryTrack* query = nullptr;  ///< the query that made `curves`, or null
};

template <typename Visit>
void for_each_row(const TimelineScene& scene, Visit visit) {
    const Overlays& overlays = scene.overlays;
    for (std::size_t i = 0; i < overlays.band_tracks.size(); ++i) {
        const BandTrack& track = overlays.band_tracks[i];
        if (has_content(track)) visit(TrackRow{track.name, track.note, &track, nullptr, i});
    }
    for (std::size_t i = 0; i < overlays.curve_tracks.size(); ++i) {
        const CurveTrack& track = overlays.curve_tracks[i];
        if (has_content(track)) visit(TrackRow{track.name, track.note, nullptr, &track, i});
    }
    for (std::size_t i = 0; i < scene.query_tracks.size(); ++i) {
        const QueryTrack& query = scene.query_tracks[i];
        if (query.timeline.get() == &scene.timeline)
            visit(TrackRow{query.track.name, query.track.note, nullptr, &query.track, i, &query});
    }
}

bool is_folded(const TrackSettings& settings, const std::string& name) {
    return std::ranges::find(settings.folded, name) != settings.folded.end();
}

float lane_height(const TimelineScene& scene, const TrackRow& row) {
    if (is_folded(scene.tracks, row.name)) return scaled(k_folded_px);
    if (row.curves != nullptr && !row.curves->curves.empty()) return scaled(k_curve_lane_px);
    const std::uint32_t levels = row.bands != nullptr ? std::max(1U, row.bands->level_count) : 1;
    return scaled(k_level_px) * static_cast<float>(levels);
}

TracksState::Levels levels_of(const BandTrack& track) {
    TracksState::Levels levels(track.level_count);
    for (std::size_t i = 0; i < track.bands.size(); ++i) {
        if (track.bands[i].level < levels.size()) levels[track.bands[i].level].push_back(static_cast<std::uint32_t>(i));
    }
    return levels;
}

/// Hashes a name with the same result on every system: that of GCC's 64-bit std::hash, which the reference pictures in the
/// tests were made with (MurmurHash64A, public domain constants).
std::uint64_t hashed_name(std::string_view name) {
    constexpr std::uint64_t k_factor = 0xc6a4a7935bd1e995ULL;
    const auto mixed = [](std::uint64_t x) { return x ^ x >> 47; };
    std::uint64_t number = 0xc70f6907ULL ^ name.size() * k_factor;
    for (; !name.empty(); name.remove_prefix(std::min<std::size_t>(name.size(), 8))) {
        std::uint64_t word = 0;
        std::memcpy(&word, name.data(), std::min<std::size_t>(name.size(), 8));
        number ^= name.size() >= 8 ? mixed(word * k_factor) * k_factor : word;
        number *= k_factor;
    }
    return mixed(mixed(number) * k_factor);
}

/// Colour of a band. Names that differ only in a trailing number, such as steps, get the same hue.
ImU32 band_colour(const Band& band, std::size_t index) {
    std::string_view name = band.name;
    while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
    const auto hue = static_cast<float>(hashed_name(name) % 360) / 360.0F;
    ImVec4 colour(0, 0, 0, 1);
    const bool is_dark = palette().ground == mesh::ThemeVariant::dark;
    const float value = is_dark ? (index % 2 == 0 ? 0.46F : 0.39F) : (index % 2 == 0 ? 0.94F : 0.87F);
    ImGui::ColorConvertHSVtoRGB(hue, is_dark ? 0.42F : 0.3F, value, colour.x, colour.y, colour.z);
    return ImGui::ColorConvertFloat4ToU32(colour);
}

void draw_band(const TrackLane& lane, const Band& band, float left, float right, float top, ImU32 colour) {
    const float bottom = top + scaled(k_level_px) - 2;
    const ImVec2 min(std::round(left), top);
    const ImVec2 max(std::max(std::round(right) - 1, min.x + 1), bottom);
    lane.list->AddRectFilled(min, max, colour);
    const float text_left = std::max(min.x, lane.canvas.min.x) + scaled(4);
    const float text_right = std::min(max.x, lane.canvas.max.x) - scaled(3);
    const float room = text_right - text_left;
    if (room < scaled(18) || room < std::min(scaled(k_min_cut_name_px), ImGui::CalcTextSize(band.name.c_str()).x)) return;
    draw_cut_text(lane.list, {text_left, top + (bottom - top - ImGui::GetTextLineHeight()) / 2}, text_right, palette().text,
                  band.name);
}

/// Draws the visible bands of one level; if several bands are within one pixel, only the first.
void draw_level(const TrackLane& lane, const BandTrack& track, const std::vector<std::uint32_t>& level, float top,
                const std::function<void(std::size_t, ImVec2, ImVec2)>& on_band) {
    const auto end_of = [&](std::uint32_t index) { return track.bands[index].to.on(lane.axis); };
    auto at = std::ranges::upper_bound(level, lane.canvas.view.x_begin, {}, end_of);
    while (at != level.end()) {
        const Band& band = track.bands[*at];
        if (band.from.on(lane.axis) > lane.canvas.view.x_end) return;
        const float left = lane.px(band.from.on(lane.axis));
        const float right = std::max(lane.px(band.to.on(lane.axis)), left + 1);
        draw_band(lane, band, left, right, top, band_colour(band, static_cast<std::size_t>(at - level.begin())));
        on_band(*at, {left, top}, {right, top + scaled(k_level_px) - 2});
        at = std::max(at + 1, std::ranges::upper_bound(level, lane.canvas.x_at(left + 1), {}, end_of));
    }
}

std::string span_text(const TimelineScene& scene, const Band& band) {
    const double steps = band.to.step - band.from.step;
    std::string text = format_count(static_cast<std::uint64_t>(std::max(0.0, std::round(steps)))) + " steps";
    if (!scene.timeline.has_times()) return text;
    return text + ", " + format_duration_us(static_cast<std::int64_t>(std::llround(band.to.time_us - band.from.time_us)));
}

/// Rectangle of the level under the mouse. The tooltip may hide bands beside it, but not this level.
PixelBox level_at_mouse(const TrackLane& lane) {
    const float y = ImGui::GetIO().MousePos.y;
    const float level = scaled(k_level_px);
    const float top = lane.top + std::floor((y - lane.top) / level) * level;
    return {{lane.canvas.min.x, top}, {lane.canvas.max.x, top + level}};
}

std::vector<TooltipLine> band_words(const TimelineScene& scene, const Band& band) {
    std::vector<TooltipLine> lines = {{band.name}};
    const auto add = [&](const std::string& text) { lines.push_back({text, palette().text_dim}); };
    add(span_text(scene, band));
    add("from " + moment_text(scene.timeline, scene.axis, band.from.on(scene.axis)));
    if (band.open_start) add("it began before the recording");
    if (band.open_end) add("its end was not recorded");
    return lines;
}

std::vector<TooltipLine> values_words(const TimelineScene& scene, const CurveTrack& track, double x) {
    std::vector<TooltipLine> lines = {{moment_text(scene.timeline, scene.axis, x), palette().text_dim}};
    for (std::size_t i = 0; i < track.curves.size(); ++i) {
        const Curve& curve = track.curves[i];
        lines.push_back(
            {curve.name() + "  " + value_text(curve.unit(), curve.at(scene.axis, x)), track_curve_colour(track, i)});
    }
    return lines;
}

/// Draws the button at the right of a label that removes a track of the user. Returns the right edge for the name.
float draw_remove_cross(TracksState& state, const TrackRow& row, const TrackLane& lane, float right) {
    if (row.query == nullptr) return right;
    const float size = scaled(k_level_px) - 2;
    ImGui::SetCursorScreenPos({right - size, lane.top});
    if (click_area("remove", {size, size})) state.to_remove = row.index;
    observe_item("track_remove_" + row.name);
    const bool is_hovered = ImGui::IsItemHovered();
    if (is_hovered) item_tooltip("Remove this track");
    const ImVec2 middle(right - size / 2, lane.top + size / 2);
    const float arm = scaled(3.5F);
    const ImU32 colour = is_hovered ? palette().text : palette().text_faint;
    lane.list->AddLine({middle.x - arm, middle.y - arm}, {middle.x + arm, middle.y + arm}, colour, scaled(1.4F));
    lane.list->AddLine({middle.x - arm, middle.y + arm}, {middle.x + arm, middle.y - arm}, colour, scaled(1.4F));
    return right - size;
}

/// Draws name and fold mark left of a lane. A click folds or unfolds.
void draw_label(TracksState& state, const TimelineScene& scene, const TrackRow& row, const TrackLane& lane, float left) {
    const bool folded = is_folded(scene.tracks, row.name);
    const float right = draw_remove_cross(state, row, lane, lane.canvas.min.x - scaled(6));
    ImGui::SetCursorScreenPos({left, lane.top});
    if (click_area("label", {right - left, lane.bottom - lane.top})) {
        if (folded)
            std::erase(scene.tracks.folded, row.name);
        else
            scene.tracks.folded.push_back(row.name);
    }
    observe_item("track_label_" + row.name);
    const bool is_hovered = ImGui::IsItemHovered();
    if (is_hovered) {
        const std::string sql = row.query != nullptr ? "\n" + one_line(row.query->sql, k_max_sql_bytes) : "";
        item_tooltip(fmt::format("{}{}\nClick to {}", row.name, sql, folded ? "unfold" : "fold"));
    }
    const ImU32 colour = is_hovered ? palette().text : palette().text_dim;
    const float middle = lane.top + scaled(k_level_px) / 2 - 1;
    const float size = scaled(4);
    const float x = left + scaled(12);
    if (folded)
        lane.list->AddTriangleFilled({x - size * 0.6F, middle - size}, {x - size * 0.6F, middle + size},
                                     {x + size * 0.8F, middle}, colour);
    else
        lane.list->AddTriangleFilled({x - size, middle - size * 0.6F}, {x + size, middle - size * 0.6F},
                                     {x, middle + size * 0.8F}, colour);
    draw_cut_text(lane.list, {x + scaled(10), middle - ImGui::GetTextLineHeight() / 2}, right, colour, row.name);
    if (!folded && row.curves != nullptr && !row.curves->curves.empty()) {
        draw_track_range(lane, *row.curves, x + scaled(10), right);
    }
}

/// Scrolls the view while the user drags a lane along the axis.
void drag_lane(TracksState& state, const TimelineScene& scene, const Projection& canvas, View& view) {
    if (ImGui::IsItemActivated()) {
        state.pressed_view = view;
        state.is_dragging = false;
    }
    if (!ImGui::IsItemActive()) return;
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, k_drag_threshold_px)) state.is_dragging = true;
    if (!state.is_dragging) return;
    const double moved = static_cast<double>(ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0).x);
    view = pan_view(state.pressed_view, -moved / canvas.width_px() * state.pressed_view.width(), 0, scene.limits);
}

void zoom_lane(const TimelineScene& scene, const Projection& canvas, View& view) {
    const ImGuiIO& io = ImGui::GetIO();
    if (!io.KeyCtrl || io.MouseWheel == 0) return;
    view = zoom_view(view, canvas.x_at(io.MousePos.x), 0, std::pow(k_zoom_per_notch, static_cast<double>(io.MouseWheel)),
                     1.0, scene.limits);
}

void draw_band_lane(TracksState& state, const TrackRow& row, const TrackLane& lane, bool is_hovered) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    TracksState::Levels& levels = state.levels[row.index];
    if (levels.empty()) levels = levels_of(*row.bands);
    // A file can nest as many ranges as it has bytes, so only the levels in view are drawn.
    const float visible_top = lane.list->GetClipRectMin().y;
    const float visible_bottom = lane.list->GetClipRectMax().y;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const float top = lane.top + 1 + scaled(k_level_px) * static_cast<float>(i);
        if (top >= visible_bottom) break;
        if (top + scaled(k_level_px) <= visible_top) continue;
        draw_level(lane, *row.bands, levels[i], top, [&](std::size_t band, ImVec2 min, ImVec2 max) {
            const BandPlace place{row.index, band};
            const bool is_under = is_hovered && mouse.x >= min.x && mouse.x < std::max(max.x, min.x + 3) &&
                                  mouse.y >= min.y && mouse.y < max.y + 2;
            if (is_under) state.hovered = place;
            if (is_under || state.selected == place) {
                lane.list->AddRect(min, {max.x - 1, max.y}, state.selected == place ? palette().selection : palette().hover);
            }
            if (row.bands->bands.size() <= 64 || is_under) {
                observe_item(fmt::format("band_{}_{}", row.index, band), min.x, min.y, max.x, max.y);
            }
        });
    }
}

/// Returns `view` with its x range set to that of a band.
View band_view(const Band& band, Axis axis, const View& view, const ViewLimits& limits) {
    const double begin = band.from.on(axis);
    const double end = band.to.on(axis);
    const double width = std::max((end - begin) * 1.06, limits.min_width);
    const double middle = begin + (end - begin) / 2;
    return pan_view({middle - width / 2, middle + width / 2, view.y_begin, view.y_end}, 0, 0, limits);
}

void follow_band_mouse(TracksState& state, const TimelineScene& scene, bool is_clicked, View& view) {
    if (is_clicked) state.selected = state.selected == state.hovered ? std::nullopt : state.hovered;
    if (!state.hovered || !ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) return;
    state.selected = state.hovered;
    const Band& band = scene.overlays.band_tracks[state.hovered->track].bands[state.hovered->band];
    view = band_view(band, scene.axis, view, scene.limits);
}

void draw_lane(TracksState& state, CurveSamples& samples, const TimelineScene& scene, const TrackRow& row,
               const TrackLane& lane, View& view) {
    const Projection& canvas = lane.canvas;
    ImGui::SetCursorScreenPos({canvas.min.x, lane.top});
    click_area("lane", {canvas.max.x - canvas.min.x, lane.bottom - lane.top});
    observe_item("track_" + row.name);
    const bool is_hovered = ImGui::IsItemHovered();
    drag_lane(state, scene, canvas, view);
    const bool is_clicked = is_item_let_go(state.is_dragging) && is_hovered;
    if (ImGui::IsItemDeactivated()) state.is_dragging = false;
    if (is_hovered) zoom_lane(scene, canvas, view);
    const double x = canvas.x_at(ImGui::GetIO().MousePos.x);
    if (is_hovered) state.cursor_x = x;

    lane.list->PushClipRect({canvas.min.x, lane.top}, {canvas.max.x, lane.bottom}, true);
    lane.list->AddRectFilled({canvas.min.x, lane.top}, {canvas.max.x, lane.bottom}, palette().canvas);
    const bool is_empty = row.bands != nullptr ? row.bands->bands.empty() : row.curves->curves.empty();
    const ImVec2 text(canvas.min.x + scaled(6), lane.top + (scaled(k_level_px) - ImGui::GetTextLineHeight()) / 2);
    if (is_folded(scene.tracks, row.name)) {
        const std::size_t count = row.bands != nullptr ? row.bands->bands.size() : row.curves->curves.size();
        lane.list->AddText(text, palette().text_faint,
                           fmt::format("{} {}", format_count(count), row.bands != nullptr ? "bands" : "curves").c_str());
    } else if (is_empty) {
        lane.list->AddText(text, palette().text_faint, row.note.c_str());
    } else if (row.bands != nullptr) {
        draw_band_lane(state, row, lane, is_hovered && !state.is_dragging);
        if (is_hovered) follow_band_mouse(state, scene, is_clicked, view);
        if (state.hovered && is_hovered)
            tooltip_beside(level_at_mouse(lane), band_words(scene, row.bands->bands[state.hovered->band]));
    } else {
        const float end = std::round(lane.px(axis_end(scene.timeline, scene.axis)));
        lane.list->PushClipRect({std::round(lane.px(0)), lane.top}, {end, lane.bottom}, true);
        draw_track_curves(lane, *row.curves, samples);
        lane.list->PopClipRect();
        if (is_hovered && !state.is_dragging) tooltip_beside(box_at_mouse(), values_words(scene, *row.curves, x));
    }
    lane.list->PopClipRect();
}

/// Draws all rows, but nothing that follows the mouse in the picture. Returns their lower edge.
float draw_rows(TracksState& state, CurveSamples& samples, const TimelineScene& scene, const Projection& canvas, View& view,
                ImVec2 pos, ImVec2 size) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float clip_bottom = pos.y + size.y;
    list->PushClipRect(pos, {pos.x + size.x, clip_bottom}, true);
    float top = ImGui::GetCursorScreenPos().y;
    int id = 0;
    for_each_row(scene, [&](const TrackRow& row) {
        const TrackLane lane{list, canvas, scene.axis, top, top + lane_height(scene, row)};
        top = lane.bottom + scaled(k_lane_gap_px);
        ++id;
        if (lane.bottom < pos.y || lane.top > clip_bottom) return;
        ImGui::PushID(id);
        draw_label(state, scene, row, lane, pos.x);
        draw_lane(state, samples, scene, row, lane, view);
        ImGui::PopID();
    });
    list->PopClipRect();
    return top;
}

}  // namespace

float tracks_height(const TimelineScene& scene) {
    if (!scene.tracks.show) return 0;
    float height = 0;
    for_each_row(scene, [&](const TrackRow& row) { height += lane_height(scene, row) + scaled(k_lane_gap_px); });
    return height > 0 ? height + scaled(4) : 0;
}

void draw_tracks(TracksState& state, CurveSamples& samples, const TimelineScene& scene, const Projection& canvas, View& view,
                 ImVec2 pos, ImVec2 size, std::optional<double> marked_x) {
    state.hovered.reset();
    state.cursor_x.reset();
    state.to_remove.reset();
    state.levels.resize(scene.overlays.band_tracks.size());
    ImGui::SetCursorScreenPos(pos);
    ImGui::BeginChild("tracks", size, false, ImGui::GetIO().KeyCtrl ? ImGuiWindowFlags_NoScrollWithMouse : 0);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float clip_bottom = pos.y + size.y;
    const float top = draw_rows(state, samples, scene, canvas, view, pos, size);
    ImGui::SetCursorScreenPos({pos.x, top});
    ImGui::Dummy({1, 1});
    if (marked_x) {
        const float x = std::round(static_cast<float>(canvas.px_of_x(*marked_x)));
        list->AddLine({x, pos.y}, {x, clip_bottom}, palette().hover);
    }
    ImGui::EndChild();
}

void draw_selected_band(ImDrawList* list, const Projection& canvas, const TimelineScene& scene, const TracksState& state) {
    if (!state.selected) return;
    const Band& band = scene.overlays.band_tracks[state.selected->track].bands[state.selected->band];
    const TrackLane lane{list, canvas, scene.axis, canvas.min.y, canvas.max.y};
    const float left = lane.px(band.from.on(scene.axis));
    const float right = lane.px(band.to.on(scene.axis));
    list->PushClipRect(canvas.min, canvas.max, true);
    list->AddRectFilled({left, canvas.min.y}, {right, canvas.max.y}, with_alpha(palette().text, 0x12));
    for (const float x : {left, right}) list->AddLine({x, canvas.min.y}, {x, canvas.max.y}, palette().hover);
    list->PopClipRect();
}

}  // namespace snapviewer
