#include "app/features/timeline/marks_ui.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <ranges>

#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/result_grid.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {
namespace {

constexpr float k_name_padding_px = 5;
constexpr ImU32 k_name_alpha = 0xd0;
constexpr ImU32 k_ground_on_hatching = IM_COL32(0xff, 0xff, 0xff, 0x70);
/// Blocks too narrow for this text get no name.
constexpr const char* k_min_name = "9.9 GiB";

float min_name_height() { return ImGui::GetTextLineHeight() + scaled(1); }

/// Returns the most detailed text that fits; empty if not even the size fits.
std::string longest_that_fits(const NamedBlock& block, float width_px) {
    std::vector<std::string> texts;
    if (!block.name.empty() && !block.place.empty()) texts.push_back(block.name + "  " + block.place + "  " + block.size);
    if (!block.name.empty()) texts.push_back(block.name + "  " + block.size);
    texts.push_back(block.size);
    for (std::string& text : texts) {
        if (ImGui::CalcTextSize(text.c_str()).x <= width_px) return std::move(text);
    }
    return "";
}

bool overlap(const PlacedName& a, const PlacedName& b) {
    return a.min.x < b.max.x && b.min.x < a.max.x && a.min.y < b.max.y && b.min.y < a.max.y;
}

std::optional<PlacedName> place_name(const NamedBlock& block, const Projection& projection) {
    const View& rect = block.block.rect;
    const float left_edge = projection.column_of(rect.x_begin), right_edge = projection.column_of(rect.x_end);
    const float top = projection.row_of(rect.y_end), bottom = projection.row_of(rect.y_begin);
    const bool is_in_view = left_edge < projection.max.x && right_edge > projection.min.x;
    if (!is_in_view || bottom - top < min_name_height()) return std::nullopt;
    const float padding = scaled(k_name_padding_px);
    const float width = right_edge - left_edge - 2 * padding;
    PlacedName name{.id = block.block.id,
                    .text = block.is_layer ? block.name + "  " + block.size : longest_that_fits(block, width),
                    .is_layer = block.is_layer,
                    .is_hatched = block.is_hatched};
    if (name.text.empty()) return std::nullopt;
    const ImVec2 size = ImGui::CalcTextSize(name.text.c_str());
    float left = left_edge + padding;
    // A layer that is too narrow for its name gets it beside the layer.
    if (size.x > width) left = right_edge + 2 * padding;
    if (left + size.x > projection.max.x) left = left_edge - 2 * padding - size.x;
    name.min = {std::round(left), std::round((top + bottom - size.y) / 2)};
    name.max = {name.min.x + size.x, name.min.y + size.y};
    return name;
}

}  // namespace

mesh::LabelRectLimits room_for_names(const Projection& canvas) {
    const float min_width = ImGui::CalcTextSize(k_min_name).x + 2 * scaled(k_name_padding_px);
    return {canvas.width_px(), canvas.height_px(), static_cast<double>(min_width), static_cast<double>(min_name_height())};
}

std::vector<PlacedName> placed_names(const NamedBlocks& names, const Projection& projection, const Emphasis* highlighted) {
    std::vector<PlacedName> placed;
    for (const NamedBlock& block : names.blocks) {
        if (highlighted != nullptr && (block.is_layer || !highlighted->contains(block.block.id))) continue;
        std::optional<PlacedName> name = place_name(block, projection);
        const auto layers = std::views::take_while(placed, &PlacedName::is_layer);
        if (name && std::ranges::none_of(layers, [&](const PlacedName& layer) { return overlap(layer, *name); }))
            placed.push_back(*std::move(name));
    }
    return placed;
}

void draw_block_names(ImDrawList* list, const std::vector<PlacedName>& names, const Projection& projection) {
    list->PushClipRect(projection.min, projection.max, true);
    for (const PlacedName& name : names) {
        if (name.is_layer || name.is_hatched) {
            const float around = scaled(name.is_layer ? k_name_padding_px : 2);
            list->AddRectFilled({name.min.x - around, name.min.y}, {name.max.x + around, name.max.y},
                                name.is_layer ? with_alpha(palette().canvas, 0xb0) : k_ground_on_hatching,
                                scaled(name.is_layer ? 3 : 2));
        }
        list->AddText(name.min, name.is_layer ? palette().text : with_alpha(k_ink, k_name_alpha), name.text.c_str());
    }
    list->PopClipRect();
}

namespace {

constexpr float k_max_name_width_px = 220;
/// Space reserved for an amount. Amounts change with the mouse, but names should keep their places.
constexpr const char* k_max_amount_width = "888.8 GiB";

float legend_height() { return ImGui::GetTextLineHeight() + scaled(6); }

float name_width(const mesh::ColourGroup& group) {
    return std::min(scaled(k_max_name_width_px), ImGui::CalcTextSize(group.name.c_str()).x);
}

float chip_width(const mesh::ColourGroup& group) {
    return scaled(38) + name_width(group) + ImGui::CalcTextSize(k_max_amount_width).x;
}

/// Formats a group as "11.2 GiB at the peak, 1,234 segments in all".
std::string amount_text(const mesh::ColourGroup& group, const Timeline& timeline, std::uint32_t tick) {
    const std::string moment =
        tick == timeline.peak_tick() ? fmt::format("the {}", peak_moment_word(timeline)) : tick_text(timeline, tick);
    return fmt::format("{} at {}, {} in all", format_bytes(group.bytes), moment, counted(timeline, group.count));
}

void draw_chip(const mesh::ColourGroups& groups, const Timeline& timeline, std::size_t index,
               std::optional<std::size_t> highlighted, ImVec2 pos, Requests& requests) {
    const mesh::ColourGroup& group = groups.groups[index];
    const ImVec2 size(chip_width(group), legend_height());
    ImGui::SetCursorScreenPos(pos);
    ImGui::PushID(static_cast<int>(index));
    if (click_area("group", size)) requests.ask(HighlightGroup{index});
    ImGui::PopID();
    observe_item(fmt::format("group_{}", index));
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool is_hovered = ImGui::IsItemHovered();
    const ImVec2 end(pos.x + size.x, pos.y + size.y);
    if (is_hovered || highlighted == index)
        list->AddRectFilled({pos.x, pos.y + 1}, {end.x, end.y - 1}, palette().raised, scaled(3));
    const float middle = pos.y + size.y / 2;
    list->AddRectFilled({pos.x + scaled(8), middle - scaled(5)}, {pos.x + scaled(18), middle + scaled(5)}, group.colour,
                        scaled(2));
    const bool is_quiet = highlighted && highlighted != index && !is_hovered;
    const float name_left = pos.x + scaled(24);
    const float amount_left = name_left + name_width(group) + scaled(8);
    const float text_top = pos.y + (size.y - ImGui::GetTextLineHeight()) / 2;
    draw_cut_text(list, {name_left, text_top}, amount_left - scaled(8), is_quiet ? palette().text_faint : palette().text_dim,
                  group.name);
    list->AddText({amount_left, text_top}, palette().text_faint, format_bytes(group.bytes).c_str());
    if (is_hovered) {
        item_tooltip(fmt::format("{}\n{}\n{}", group.name, amount_text(group, timeline, groups.tick),
                                 highlighted == index ? "Click to show all" : "Click to highlight it"));
    }
}

void draw_rest(const mesh::ColourGroups& groups, const Timeline& timeline, std::size_t first,
               std::optional<std::size_t> highlighted, ImVec2 pos, Requests& requests) {
    ImGui::SetCursorScreenPos(pos);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {scaled(6), scaled(1)});
    if (ImGui::Button("…##groups")) ImGui::OpenPopup("rest of groups");
    ImGui::PopStyleVar();
    observe_item("groups_more");
    if (!ImGui::BeginPopup("rest of groups")) return;
    for (std::size_t i = first; i < groups.groups.size(); ++i) {
        ImGui::PushID(static_cast<int>(i));
        ImGui::ColorButton("##colour", to_vec4(groups.groups[i].colour), ImGuiColorEditFlags_NoTooltip,
                           {ImGui::GetTextLineHeight(), ImGui::GetTextLineHeight()});
        ImGui::SameLine();
        if (ImGui::MenuItem(groups.groups[i].name.c_str(), amount_text(groups.groups[i], timeline, groups.tick).c_str(),
                            highlighted == i)) {
            requests.ask(HighlightGroup{i});
        }
        ImGui::PopID();
    }
    ImGui::EndPopup();
}

}  // namespace

float group_legend_height(const mesh::ColourGroups& groups) { return groups.groups.empty() ? 0 : legend_height(); }

void draw_group_legend(const mesh::ColourGroups& groups, const Timeline& timeline, std::optional<std::size_t> highlighted,
                       ImVec2 pos, float width, Requests& requests) {
    const float more_width = scaled(36);
    float x = pos.x;
    for (std::size_t i = 0; i < groups.groups.size(); ++i) {
        const float room = pos.x + width - x - (i + 1 < groups.groups.size() ? more_width : 0);
        if (chip_width(groups.groups[i]) > room) {
            draw_rest(groups, timeline, i, highlighted, {x + scaled(4), pos.y + scaled(2)}, requests);
            return;
        }
        draw_chip(groups, timeline, i, highlighted, {x, pos.y}, requests);
        x += chip_width(groups.groups[i]) + scaled(2);
    }
}

namespace {

constexpr float k_mark_height_px = 5;
constexpr float k_pointer_px = 8;

bool is_same_place(const Projection& a, const Projection& b) {
    return a.view == b.view && a.width_px() == b.width_px() && a.height_px() == b.height_px();
}

/// Lower edge of an outline at `x`, interpolated linearly between two points.
double low_at(const Outline& outline, double x) {
    const auto after = std::ranges::upper_bound(outline.x, x);
    const auto i = static_cast<std::size_t>(after - outline.x.begin());
    if (i == 0) return outline.low_bytes.front();
    if (after == outline.x.end()) return outline.low_bytes.back();
    const double share = (x - outline.x[i - 1]) / (outline.x[i] - outline.x[i - 1]);
    return std::lerp(outline.low_bytes[i - 1], outline.low_bytes[i], share);
}

void draw_flag(ImDrawList* list, ImVec2 tip, float direction, const std::string& words) {
    const float size = scaled(k_pointer_px);
    const float base = tip.y + direction * size;
    list->AddTriangleFilled(tip, {tip.x - size * 0.7F, base}, {tip.x + size * 0.7F, base}, palette().selection);
    const ImVec2 text_size = ImGui::CalcTextSize(words.c_str());
    const ImVec2 padding(scaled(5), scaled(2));
    const float top = direction < 0 ? base - text_size.y - 2 * padding.y : base;
    const ImVec2 min(std::round(tip.x - text_size.x / 2 - padding.x), std::round(top));
    const ImVec2 max(min.x + text_size.x + 2 * padding.x, min.y + text_size.y + 2 * padding.y);
    list->AddRectFilled(min, max, palette().selection, scaled(3));
    list->AddText({min.x + padding.x, min.y + padding.y}, palette().selection_shadow | IM_COL32_A_MASK, words.c_str());
    observe_item("hit_pointer", min.x, std::min(min.y, tip.y), max.x, std::max(max.y, tip.y));
}

}  // namespace

void draw_hit_marks(ImDrawList* list, HitMarks& marks, const std::shared_ptr<const Hits>& hits, const Timeline& timeline,
                    Axis axis, const Projection& projection) {
    if (hits != marks.hits || axis != marks.axis || !is_same_place(projection, marks.projection)) {
        marks = {hits, axis, projection, {}};
        if (hits)
            marks.columns =
                hits->columns_of_small(timeline, axis, projection.view, {projection.width_px(), projection.height_px()});
    }
    for (std::size_t i = 0; i < marks.columns.size();) {
        const std::uint32_t first = marks.columns[i];
        std::uint32_t last = first;
        while (++i < marks.columns.size() && marks.columns[i] == last + 1) ++last;
        const float left = projection.min.x + static_cast<float>(first);
        const float right = std::max(left + scaled(2), projection.min.x + static_cast<float>(last) + 1);
        const float bottom = projection.min.y + scaled(k_mark_height_px);
        list->AddRectFilled({left, projection.min.y}, {right, bottom}, palette().accent);
    }
}

void draw_hit_pointer(ImDrawList* list, const Projection& projection, const Outline& outline, const std::string& words) {
    const View& view = projection.view;
    if (outline.is_empty() || outline.x.back() < view.x_begin || outline.x.front() > view.x_end) return;
    const double x = std::midpoint(std::max(outline.x.front(), view.x_begin), std::min(outline.x.back(), view.x_end));
    const double low_bytes = low_at(outline, x);
    const glm::dvec2 top = projection.px_of({x, low_bytes + outline.size_bytes});
    const double bottom_y = projection.px_of_y(low_bytes);
    if (top.y > static_cast<double>(projection.max.y) || bottom_y < static_cast<double>(projection.min.y)) return;
    const auto tip_x = static_cast<float>(top.x);
    const float gap = scaled(3);
    const float room = scaled(k_pointer_px) + ImGui::GetTextLineHeight() + scaled(8) + gap;
    const float above = static_cast<float>(top.y) - gap;
    if (above - room > projection.min.y)
        draw_flag(list, {tip_x, above}, -1, words);
    else
        draw_flag(list, {tip_x, std::min(static_cast<float>(bottom_y) + gap, projection.max.y - room)}, 1, words);
}

namespace {

constexpr float k_pole_px = 16;
constexpr float k_cloth_px = 11;
constexpr std::size_t k_words_bytes = 80;

struct FlagBox {
    ImVec2 foot, min, max;
};

/// Returns the rectangle of a flag; nullopt if its place is out of view.
std::optional<FlagBox> box_of(const NoteFlag& flag, const Projection& canvas) {
    const glm::dvec2 px = canvas.px_of({flag.x, flag.bytes});
    if (px.x < static_cast<double>(canvas.min.x) || px.x > static_cast<double>(canvas.max.x) ||
        px.y < static_cast<double>(canvas.min.y) || px.y > static_cast<double>(canvas.max.y))
        return std::nullopt;
    const ImVec2 foot(std::round(static_cast<float>(px.x)), std::round(static_cast<float>(px.y)));
    return FlagBox{foot, {foot.x - scaled(2), foot.y - scaled(k_pole_px)}, {foot.x + scaled(k_cloth_px), foot.y}};
}

}  // namespace

std::optional<std::size_t> note_under(std::span<const NoteFlag> flags, const Projection& canvas, ImVec2 mouse) {
    for (std::size_t i = flags.size(); i-- > 0;) {
        const std::optional<FlagBox> box = box_of(flags[i], canvas);
        if (box && mouse.x >= box->min.x && mouse.x <= box->max.x && mouse.y >= box->min.y && mouse.y <= box->max.y)
            return i;
    }
    return std::nullopt;
}

void draw_note_flags(ImDrawList* list, std::span<const NoteFlag> flags, const Projection& canvas,
                     std::optional<std::size_t> hovered) {
    for (std::size_t i = 0; i < flags.size(); ++i) {
        const std::optional<FlagBox> box = box_of(flags[i], canvas);
        if (!box) continue;
        const ImU32 cloth = hovered == i ? palette().selection : palette().notice;
        const float top = box->min.y;
        const ImVec2 tip(box->max.x, top + scaled(k_cloth_px) * 0.45F);
        const float low = top + scaled(k_cloth_px) * 0.9F;
        list->AddLine({box->foot.x, top}, box->foot, palette().selection_shadow | IM_COL32_A_MASK, scaled(3));
        list->AddTriangleFilled({box->foot.x, top - scaled(1)}, {tip.x + scaled(1), tip.y}, {box->foot.x, low + scaled(1)},
                                palette().selection_shadow | IM_COL32_A_MASK);
        list->AddLine({box->foot.x, top}, box->foot, cloth, scaled(1.5F));
        list->AddTriangleFilled({box->foot.x, top}, tip, {box->foot.x, low}, cloth);
        observe_item(fmt::format("note_{}", i), box->min.x, box->min.y, box->max.x, box->max.y);
    }
}

void draw_note_words(ImDrawList* list, std::span<const NoteFlag> flags, const Projection& canvas) {
    for (const NoteFlag& flag : flags) {
        const std::optional<FlagBox> box = box_of(flag, canvas);
        if (!box) continue;
        const std::string words = one_line(flag.text, k_words_bytes);
        const ImVec2 size = ImGui::CalcTextSize(words.c_str());
        const float right = std::min(box->max.x + scaled(6) + size.x, canvas.max.x - scaled(4));
        const ImVec2 pos(std::max(canvas.min.x, right - size.x), box->min.y - scaled(3));
        draw_boxed_text(list, pos, {scaled(4), scaled(1)}, with_alpha(palette().panel, 0xd8), palette().text, words);
    }
}

}  // namespace snapviewer
