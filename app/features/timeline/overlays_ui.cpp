#include "app/features/timeline/overlays_ui.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/features/timeline/timeline_axis.h"
#include "app/features/timeline/timeline_ui.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/texts.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/timeline/overlays.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

using Kind = OverlayItem::Kind;

constexpr double k_min_pending_px = 2.0;
constexpr float k_flag_px = 5.0F;  // half the width of a flag, at scale 1
/// Colours of stacked curves from the bottom up. Close to PyTorch's colours of the same categories.
constexpr std::array k_stack_colours = {IM_COL32(0x3f, 0x8f, 0x4f, 0xff), IM_COL32(0xd1, 0x9a, 0x2b, 0xff),
                                        IM_COL32(0x6f, 0x7c, 0x8c, 0xff), IM_COL32(0x93, 0x70, 0xdb, 0xff),
                                        IM_COL32(0xd8, 0x4a, 0x45, 0xff), IM_COL32(0x3b, 0x5f, 0xd0, 0xff),
                                        IM_COL32(0x5f, 0xa0, 0xf0, 0xff), IM_COL32(0xb0, 0xb0, 0xb0, 0xff)};

ImU32 marker_colour(Marker::Kind kind) {
    switch (kind) {
        case Marker::Kind::peak: return palette().notice;
        case Marker::Kind::oom:
        case Marker::Kind::cut_off: return palette().danger;
        case Marker::Kind::snapshot: return palette().accent;
        case Marker::Kind::annotate: return curve_colour(4);
    }
    return palette().text;
}

/// Colour of a curve. Curves that most files have get the same colours in every file.
ImU32 colour_of_curve(const OverlayItem& item) {
    if (item.is_stacked) return k_stack_colours[item.index % k_stack_colours.size()];
    switch (item.role) {
        case CurveRole::allocated: return curve_colour(0);
        case CurveRole::active: return curve_colour(1);
        case CurveRole::reserved:
        case CurveRole::process: return curve_colour(2);
        case CurveRole::other: break;
    }
    return curve_colour(3 + item.index);
}

/// Colour of a curve, a level or a kind of marker.
ImU32 overlay_colour(const OverlayItem& item) {
    switch (item.kind) {
        case Kind::curve: return colour_of_curve(item);
        case Kind::level: return palette().level;
        case Kind::gap:
        case Kind::pending: return palette().text;
        case Kind::peak_line:
        case Kind::markers: return palette().notice;
    }
    return palette().text;
}

int columns_of(const Projection& projection) { return static_cast<int>(projection.width_px()); }

/// Pixel row of a height, clamped to just outside the canvas, so that distant rows neither overflow nor disappear.
float row_of(const Projection& projection, double bytes) { return projection.row_of(bytes, 4); }

/// A horizontal range of pixels.
struct HorizontalSpan {
    float left = 0, right = 0;
};

/// The part of the canvas that shows the recording. Nothing is known about the areas to its left and right.
HorizontalSpan recording_on(const Projection& projection, const TimelineScene& scene) {
    return {std::round(projection.column_of(0)), std::round(projection.column_of(axis_end(scene.timeline, scene.axis)))};
}

bool is_shown(const TimelineScene& scene, Kind kind) {
    return std::ranges::any_of(scene.items, [kind](const OverlayItem& item) { return item.kind == kind && item.is_shown; });
}

void draw_curve(ImDrawList* list, const Projection& projection, std::span<const ValueSpan> columns, ImU32 colour) {
    const float half = scaled(0.9F);
    for_each_run(columns, [&](std::size_t begin, std::size_t end, const ValueSpan& span) {
        list->AddRectFilled({projection.min.x + static_cast<float>(begin), row_of(projection, span.high) - half},
                            {projection.min.x + static_cast<float>(end), row_of(projection, span.low) + half}, colour);
    });
}

/// Draws the area between the highest sums of each column without and with this curve, so that no zoom level exaggerates a
/// sum.
void draw_stacked(ImDrawList* list, const Projection& projection, const TimelineScene& scene, const OverlayItem& item,
                  OverlayState& state) {
    const std::vector<Curve>& tops = scene.overlays.stack_tops;
    const auto samples_of = [&](std::size_t index) {
        return state.samples.of(tops[index], scene.axis, projection.view, columns_of(projection));
    };
    const std::span<const ValueSpan> upper = samples_of(item.index);
    const std::span<const ValueSpan> lower = item.index == 0 ? std::span<const ValueSpan>() : samples_of(item.index - 1);
    const auto rows_at = [&](std::size_t i) {
        return std::pair(std::round(row_of(projection, upper[i].high)),
                         std::round(row_of(projection, lower.empty() ? 0 : lower[i].high)));
    };
    fill_columns(list, projection, upper.size(), rows_at, overlay_colour(item));
}

/// Fills the area between the top of the lower curve and the bottom of the upper one.
void draw_gap(ImDrawList* list, const Projection& projection, const TimelineScene& scene, OverlayState& state) {
    const GapCurves gap = gap_curves(scene.overlays);
    const auto lower = state.samples.of(*gap.lower, scene.axis, projection.view, columns_of(projection));
    const auto upper = state.samples.of(*gap.upper, scene.axis, projection.view, columns_of(projection));
    const auto rows_at = [&](std::size_t i) {
        return std::pair(std::round(row_of(projection, upper[i].low)), std::round(row_of(projection, lower[i].high)));
    };
    fill_columns(list, projection, lower.size(), rows_at, with_alpha(palette().text, 0x1c));
}

/// Draws diagonal lines over pending memory, which may slide down to the right. Draws a plain shade if the area is too thin
/// for lines.
void draw_hatching(ImDrawList* list, const Projection& projection, const PendingPiece& piece) {
    const double left = projection.px_of_x(piece.x_begin);
    const double right = projection.px_of_x(piece.x_end);
    const double top = projection.px_of_y(piece.low_bytes + piece.size_bytes);
    const double height = projection.px_of_y(piece.low_bytes) - top;
    const double drop = projection.px_of_y(piece.end_low_bytes) - projection.px_of_y(piece.low_bytes);
    if (height < scaled(3) || right - left < scaled(3)) {
        const auto corner = [&](double x, double bytes) { return ImVec2(static_cast<float>(x), row_of(projection, bytes)); };
        list->AddQuadFilled(corner(left, piece.low_bytes + piece.size_bytes),
                            corner(right, piece.end_low_bytes + piece.size_bytes), corner(right, piece.end_low_bytes),
                            corner(left, piece.low_bytes), with_alpha(k_stripe_ink, 0x80));
        return;
    }
    const double slope = drop / (right - left);
    const auto crossing = [&](double sum, double y_at_left) { return (sum - y_at_left + slope * left) / (1 + slope); };
    // The lines have the same values of x + y in all pieces, so that neighbouring pieces line up. Only visible ones are
    // drawn.
    const double spacing = scaled(7);
    const double first = std::max(left + top, double{projection.min.x} + double{projection.min.y});
    const double last = std::min(right + top + drop + height, double{projection.max.x} + double{projection.max.y});
    for (double sum = std::ceil(first / spacing) * spacing; sum < last; sum += spacing) {
        const double x0 = std::max({left, crossing(sum, top + height), sum - double{projection.max.y}});
        const double x1 = std::min({right, crossing(sum, top), sum - double{projection.min.y}});
        if (x0 >= x1) continue;
        list->AddLine({static_cast<float>(x1), static_cast<float>(sum - x1)},
                      {static_cast<float>(x0), static_cast<float>(sum - x0)}, k_stripe_ink, scaled(2));
    }
}

void draw_pending(ImDrawList* list, const Projection& projection, const TimelineScene& scene, OverlayState& state) {
    const double min_width = projection.view.width() / projection.width_px() * k_min_pending_px;
    for (const PendingPiece& piece :
         state.pending.of(scene.timeline, scene.overlays.pending, scene.axis, projection.view, min_width))
        draw_hatching(list, projection, piece);
}

/// Shades the actions at unknown times, which follow the point where a file was cut off.
void draw_unseen(ImDrawList* list, const Projection& projection, const TimelineScene& scene) {
    const auto& markers = scene.overlays.markers;
    const auto cut = std::ranges::find(markers, Marker::Kind::cut_off, &Marker::kind);
    if (cut == markers.end()) return;
    const float left = projection.column_of(cut->place.on(scene.axis));
    const float right = recording_on(projection, scene).right;
    if (right <= left) return;
    list->AddRectFilled({left, projection.min.y}, {right, projection.max.y}, with_alpha(palette().danger, 0x1c));
    constexpr const char* k_words = "not recorded";
    const ImVec2 size = ImGui::CalcTextSize(k_words);
    const float pad = scaled(4);
    const ImVec2 at{std::max(projection.min.x, right - size.x - pad), projection.max.y - size.y - pad};
    draw_boxed_text(list, at, {pad, 0}, with_alpha(palette().canvas, 0xd0), palette().danger, k_words);
}

/// Rectangles of the labels drawn so far: left, top, right, bottom.
using TakenPlaces = std::vector<ImVec4>;

/// Draws a dashed line across the recording with a label at its right end. The label moves to the left if it would overlap
/// another one.
void draw_line(ImDrawList* list, const Projection& projection, const HorizontalSpan& recording, TakenPlaces& taken,
               double bytes, const std::string& label, ImU32 colour) {
    const float y = std::round(static_cast<float>(projection.px_of_y(bytes)));
    if (y < projection.min.y || y > projection.max.y) return;
    const float dash = scaled(6);
    for (float x = recording.left; x < recording.right; x += 2 * dash) {
        list->AddLine({x, y}, {std::min(x + dash, recording.right), y}, with_alpha(colour, 0xa0));
    }
    const ImVec2 size = ImGui::CalcTextSize(label.c_str());
    const float pad = scaled(5);
    const float above = y - size.y - scaled(2);
    const float top = above >= projection.min.y ? above : y + scaled(2);
    float right = std::max(recording.right, projection.min.x + size.x + scaled(16)) - scaled(8);
    for (const ImVec4& other : taken) {
        if (top < other.w && top + size.y > other.y) right = std::min(right, other.x - 2 * pad);
    }
    taken.push_back({right - size.x, top, right, top + size.y});
    draw_boxed_text(list, {right - size.x, top}, {pad, 0}, with_alpha(palette().canvas, 0xc0), colour, label);
}

void draw_lines(ImDrawList* list, const Projection& projection, const TimelineScene& scene, TakenPlaces& taken) {
    const auto draw = [&, recording = recording_on(projection, scene)](double bytes, const std::string& label,
                                                                       ImU32 colour) {
        draw_line(list, projection, recording, taken, bytes, label, colour);
    };
    for (const OverlayItem& item : scene.items) {
        if (!item.is_shown) continue;
        if (item.kind == Kind::level) {
            const Level& level = scene.overlays.levels[item.index];
            draw(level.bytes, level.name + " " + value_text(Unit::bytes, level.bytes), overlay_colour(item));
        } else if (item.kind == Kind::peak_line) {
            const auto peak = static_cast<double>(scene.timeline.peak_bytes());
            const KnownPeak known = known_peak(scene.timeline);
            const char* label = known.is_at_end ? "at the end " : known.is_lower_bound ? "peak at least " : "peak ";
            draw(peak, label + value_text(Unit::bytes, peak), overlay_colour(item));
        }
    }
}

void draw_flag(ImDrawList* list, float x, float foot, ImU32 colour) {
    const float half = scaled(k_flag_px);
    list->AddTriangleFilled({x - half, foot - 2 * half}, {x + half, foot - 2 * half}, {x, foot}, colour);
}

/// Draws a vertical line and a label beside its top, below labels that are already there.
void draw_marker_line(ImDrawList* list, const Projection& projection, const Marker& marker, const std::string& label,
                      float x, TakenPlaces& taken) {
    const ImU32 colour = marker_colour(marker.kind);
    list->AddLine({x, projection.min.y}, {x, projection.max.y}, with_alpha(colour, 0xc0));
    const ImVec2 size = ImGui::CalcTextSize(label.c_str());
    const float pad = scaled(6);
    const bool is_left = x + size.x + 2 * pad > projection.max.x;
    const float left = is_left ? std::max(projection.min.x, x - size.x - pad) : x + pad;
    float top = projection.min.y + scaled(4);
    std::ranges::sort(taken, {}, &ImVec4::y);
    for (const ImVec4& other : taken) {
        const bool is_beside = left > other.z + pad || left + size.x + pad < other.x;
        if (!is_beside && top < other.w && top + size.y > other.y) top = other.w + scaled(1);
    }
    taken.push_back({left, top, left + size.x, top + size.y});
    draw_boxed_text(list, {left, top}, {pad / 2, 0}, with_alpha(palette().canvas, 0xd0), colour, label);
}

struct Flag {
    std::size_t marker = 0;
    float x = 0;  ///< position in pixels
};

/// Returns one flag for each group of markers that would hide each other: an out-of-memory marker if there is one, else the
/// first marker. Flags of out-of-memory markers come last, so that they are drawn on top.
std::vector<Flag> visible_flags(const Projection& projection, const TimelineScene& scene) {
    const std::vector<Marker>& markers = scene.overlays.markers;
    const auto at = [&](double place) {
        return std::ranges::lower_bound(markers, place, {},
                                        [&](const Marker& marker) { return marker.place.on(scene.axis); });
    };
    const auto is_oom = [](const Marker& marker) { return marker.kind == Marker::Kind::oom; };
    const double min_size = projection.view.width() / projection.width_px() * 3;
    std::vector<Flag> flags;
    for (auto marker = at(projection.view.x_begin); marker != markers.end();) {
        const double place = marker->place.on(scene.axis);
        if (place > projection.view.x_end) break;
        const auto end = std::max(marker + 1, at(place + min_size));
        const auto oom = std::find_if(marker, end, is_oom);
        const auto shown = oom == end ? marker : oom;
        flags.push_back({static_cast<std::size_t>(shown - markers.begin()),
                         std::round(static_cast<float>(projection.px_of_x(shown->place.on(scene.axis))))});
        marker = end;
    }
    std::stable_partition(flags.begin(), flags.end(), [&](const Flag& flag) { return !is_oom(markers[flag.marker]); });
    return flags;
}

void draw_markers(ImDrawList* list, const Projection& projection, const TimelineScene& scene, const OverlayState& state,
                  TakenPlaces& taken) {
    for (const Flag& flag : visible_flags(projection, scene)) {
        draw_flag(list, flag.x, projection.min.y - 1, marker_colour(scene.overlays.markers[flag.marker].kind));
        const float half = scaled(k_flag_px);
        observe_item("marker_" + std::to_string(flag.marker), flag.x - half, projection.min.y - 2 * half, flag.x + half,
                     projection.min.y);
    }
    const bool is_the_same = state.hovered_marker == state.current_marker;
    for (const auto& index : {state.current_marker, is_the_same ? std::nullopt : state.hovered_marker}) {
        if (!index || *index >= scene.overlays.markers.size()) continue;
        const Marker& marker = scene.overlays.markers[*index];
        const double x = projection.px_of_x(marker.place.on(scene.axis));
        if (x < static_cast<double>(projection.min.x) || x > static_cast<double>(projection.max.x)) continue;
        draw_flag(list, std::round(static_cast<float>(x)), projection.min.y - 1, marker_colour(marker.kind));
        draw_marker_line(list, projection, marker, marker_label(scene.timeline, marker), std::round(static_cast<float>(x)),
                         taken);
    }
}

std::string legend_id(const OverlayItem& item) {
    std::string id = "legend_" + item.name;
    std::ranges::replace(id, ' ', '_');
    return id;
}

/// Draws the sample of an item in the legend: a line, a shade or a flag.
void draw_swatch(ImDrawList* list, const OverlayItem& item, ImVec2 centre) {
    const ImU32 colour = item.is_shown ? overlay_colour(item) : palette().text_faint;
    const float half = scaled(6);
    switch (item.kind) {
        case Kind::curve: {
            const float thick = item.is_stacked ? half * 0.8F : scaled(1);
            list->AddRectFilled({centre.x - half, centre.y - thick}, {centre.x + half, centre.y + thick}, colour);
            break;
        }
        case Kind::gap:
        case Kind::pending:
            list->AddRectFilled({centre.x - half, centre.y - half * 0.8F}, {centre.x + half, centre.y + half * 0.8F},
                                with_alpha(colour, item.is_shown ? 0x60 : 0x30), scaled(2));
            break;
        case Kind::level:
        case Kind::peak_line:
            for (const float x : {-half, half / 3}) {
                list->AddRectFilled({centre.x + x, centre.y - scaled(1)},
                                    {centre.x + x + half * 0.67F, centre.y + scaled(1)}, colour);
            }
            break;
        case Kind::markers: draw_flag(list, centre.x, centre.y + scaled(k_flag_px), colour); break;
    }
}

float chip_width(const OverlayItem& item) { return scaled(38) + ImGui::CalcTextSize(item.name.c_str()).x; }

/// Draws one item of the legend. An active item has a background, an inactive one only an outline. Without `requests`, as
/// in a saved picture, the item cannot be clicked.
void draw_chip(const OverlayItem& item, ImVec2 pos, Requests* requests) {
    const ImVec2 size(chip_width(item), overlay_legend_height());
    const ImVec2 end(pos.x + size.x, pos.y + size.y);
    ImDrawList* list = ImGui::GetWindowDrawList();
    bool is_hovered = false;
    if (requests != nullptr) {
        ImGui::SetCursorScreenPos(pos);
        ImGui::PushID(item.name.c_str());
        if (click_area("chip", size)) requests->ask(ShowOverlay{item.id, !item.is_shown});
        ImGui::PopID();
        observe_item(legend_id(item));
        is_hovered = ImGui::IsItemHovered();
        const ImVec2 min(pos.x + scaled(2), pos.y + scaled(2)), max(end.x - scaled(2), end.y - scaled(2));
        const ImU32 ground = is_hovered ? palette().button_hovered : palette().raised;
        if (item.is_shown || is_hovered) list->AddRectFilled(min, max, ground, scaled(9));
        list->AddRect(min, max, item.is_shown ? palette().text_faint : palette().border, scaled(9));
    }
    draw_swatch(list, item, {pos.x + scaled(15), pos.y + size.y / 2});
    const ImU32 colour = item.is_shown || is_hovered ? palette().text : palette().text_faint;
    list->AddText({pos.x + scaled(27), pos.y + (size.y - ImGui::GetTextLineHeight()) / 2}, colour, item.name.c_str());
    if (is_hovered) {
        item_tooltip(fmt::format("{}{}{}", item.doc, item.doc.empty() ? "" : "\n",
                                 item.is_shown ? "Click to hide" : "Click to show"));
    }
}

void draw_rest_of_legend(const std::vector<OverlayItem>& items, std::size_t first, ImVec2 pos, Requests& requests) {
    ImGui::SetCursorScreenPos(pos);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {scaled(6), scaled(1)});
    if (ImGui::Button("…##legend")) ImGui::OpenPopup("rest of legend");
    ImGui::PopStyleVar();
    observe_item("legend_more");
    if (!ImGui::BeginPopup("rest of legend")) return;
    for (std::size_t i = first; i < items.size(); ++i) {
        if (ImGui::MenuItem(items[i].name.c_str(), nullptr, items[i].is_shown)) {
            requests.ask(ShowOverlay{items[i].id, !items[i].is_shown});
        }
        observe_item(legend_id(items[i]));
    }
    ImGui::EndPopup();
}

}  // namespace

float overlay_legend_height() { return ImGui::GetTextLineHeight() + scaled(9); }

ImU32 curve_colour(std::size_t index) { return palette().curves[index % palette().curves.size()]; }

void draw_overlay_legend(const std::vector<OverlayItem>& items, ImVec2 pos, float width, Requests* requests) {
    const float more_width = scaled(36);
    float x = pos.x;
    for (std::size_t i = 0; i < items.size(); ++i) {
        const float room = pos.x + width - x - (i + 1 < items.size() ? more_width : 0);
        if (chip_width(items[i]) > room) {
            if (requests != nullptr) draw_rest_of_legend(items, i, {x + scaled(4), pos.y + scaled(2)}, *requests);
            return;
        }
        draw_chip(items[i], {x, pos.y}, requests);
        x += chip_width(items[i]) + scaled(2);
    }
}

void draw_overlays(ImDrawList* list, const Projection& projection, const TimelineScene& scene, OverlayState& state) {
    const HorizontalSpan recording = recording_on(projection, scene);
    list->PushClipRect({recording.left, projection.min.y}, {recording.right, projection.max.y}, true);
    if (is_shown(scene, Kind::pending)) draw_pending(list, projection, scene, state);
    if (is_shown(scene, Kind::gap)) draw_gap(list, projection, scene, state);
    for (const OverlayItem& item : scene.items) {
        if (item.kind != Kind::curve || !item.is_shown) continue;
        if (item.is_stacked) {
            draw_stacked(list, projection, scene, item, state);
            continue;
        }
        const Curve& curve = scene.overlays.curves[item.index];
        draw_curve(list, projection, state.samples.of(curve, scene.axis, projection.view, columns_of(projection)),
                   overlay_colour(item));
    }
    list->PopClipRect();
    list->PushClipRect(projection.min, projection.max, true);
    draw_unseen(list, projection, scene);
    TakenPlaces taken;
    draw_lines(list, projection, scene, taken);
    list->PopClipRect();
    if (is_shown(scene, Kind::markers)) draw_markers(list, projection, scene, state, taken);
}

std::optional<std::size_t> marker_under(const Projection& projection, const TimelineScene& scene, ImVec2 mouse) {
    const float reach = scaled(k_flag_px) + 1;
    if (!is_shown(scene, Kind::markers) || mouse.y < projection.min.y - 2 * reach || mouse.y > projection.min.y) return {};
    std::optional<std::size_t> found;
    float nearest = reach;
    for (const Flag& flag : visible_flags(projection, scene)) {
        // between two equally near flags, the later one wins, because it is drawn on top
        if (std::abs(mouse.x - flag.x) > nearest) continue;
        nearest = std::abs(mouse.x - flag.x);
        found = flag.marker;
    }
    return found;
}

std::vector<TooltipLine> marker_words(const TimelineScene& scene, const Marker& marker, const MarkerFacts& facts) {
    std::vector<TooltipLine> lines = {
        {marker_label(scene.timeline, marker), marker_colour(marker.kind)},
        {moment_text(scene.timeline, scene.axis, marker.place.on(scene.axis)), palette().text_dim}};
    for (const auto& [name, value] : facts) lines.push_back({name + ": " + value, palette().text_dim});
    return lines;
}

std::vector<TooltipLine> curve_words(const TimelineScene& scene, double x) {
    std::vector<TooltipLine> lines;
    for (const OverlayItem& item : scene.items) {
        if (item.kind != Kind::curve || !item.is_shown) continue;
        const Curve& curve = scene.overlays.curves[item.index];
        lines.push_back({curve.name() + " " + value_text(curve.unit(), curve.at(scene.axis, x)), overlay_colour(item)});
    }
    return lines;
}

}  // namespace snapviewer
