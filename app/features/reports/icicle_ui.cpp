#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/features/reports/icicle.h"
#include "app/features/requests.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/canvas_ui.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/timeline/view.h"

namespace snapviewer::reports {
namespace {

constexpr float k_min_row_px = 23.0F;
constexpr float k_max_row_px = 42.0F;
constexpr float k_min_text_px = 22.0F;

/// Area of the bars of an icicle on the screen, and the height of a row.
struct IcicleCanvas {
    ImVec2 min, max;
    float row_px = 1;
};

/// Maps positions in an icicle to pixels of the window.
struct Place {
    const stacks::Icicle& icicle;
    IcicleWindow window;
    IcicleCanvas canvas;

    double width_px() const { return static_cast<double>(canvas.max.x - canvas.min.x); }
    float px_of(double x) const {
        const double px = static_cast<double>(canvas.min.x) + (x - window.x_begin) / window.width() * width_px();
        return static_cast<float>(
            std::clamp(px, static_cast<double>(canvas.min.x) - 1e4, static_cast<double>(canvas.max.x) + 1e4));
    }
    double x_at(float px) const {
        return window.x_begin + static_cast<double>(px - canvas.min.x) / width_px() * window.width();
    }
    float top_of(std::uint32_t depth) const {
        return canvas.min.y + static_cast<float>(static_cast<double>(depth) - window.top_row) * canvas.row_px;
    }
    std::optional<IcicleBar> bar_at(ImVec2 mouse) const {
        const double row = static_cast<double>((mouse.y - canvas.min.y) / canvas.row_px) + window.top_row;
        if (row < 0 || row >= static_cast<double>(icicle.depth_count())) return std::nullopt;
        const double x = x_at(mouse.x);
        const double pixel = window.width() / width_px();
        for (const IcicleBar& bar : visible_bars(icicle, static_cast<std::uint32_t>(row), window, width_px())) {
            if (x >= bar.x_begin && x < std::max(bar.x_end, bar.x_begin + pixel)) return bar;
        }
        return std::nullopt;
    }
};

/// Colour of a bar. Its hue is green for weights, for time in both passes and for the program's own code; blue for
/// activations, for forward and for library code; warm for backward; grey for untracked memory and for C++. Its shade comes
/// from a hash of the label, so that it is the same in every file.
ImU32 colour_of(const stacks::IcicleNode& node, bool is_root) {
    const std::uint64_t bits = mix_bits(hash_bytes(node.label.data(), node.label.size()));
    const float shade = static_cast<float>(bits % 64) / 63.0F;
    const float lean = static_cast<float>(bits / 64 % 64) / 63.0F - 0.5F;
    float hue = 0;
    float saturation = 0.42F;
    switch (node.group) {
        case IcicleGroup::weights:
        case IcicleGroup::forward_and_backward:
        case IcicleGroup::own_code: hue = 0.37F; break;
        case IcicleGroup::activations:
        case IcicleGroup::forward:
        case IcicleGroup::library_code: hue = 0.58F; break;
        case IcicleGroup::backward: hue = 0.09F; break;
        case IcicleGroup::untracked:
        case IcicleGroup::native_code: saturation = 0; break;
    }
    ImVec4 colour(0, 0, 0, 1);
    ImGui::ColorConvertHSVtoRGB(hue + 0.06F * lean, saturation * (is_root ? 0.7F : 1), 0.66F + 0.2F * shade, colour.x,
                                colour.y, colour.z);
    return ImGui::ColorConvertFloat4ToU32(colour);
}

/// Shortens a text to a width in the current font; ends with an ellipsis if it was cut.
std::string fitting_text(const std::string& text, float width_px) {
    if (ImGui::CalcTextSize(text.c_str()).x <= width_px) return text;
    const float room = width_px - ImGui::CalcTextSize("…").x;
    const char* cut = text.c_str();
    ImGui::GetFont()->CalcTextSizeA(ImGui::GetFontSize(), std::max(room, 0.0F), 0, text.c_str(), nullptr, &cut);
    return text.substr(0, static_cast<std::size_t>(cut - text.c_str())) + "…";
}

void draw_text(ImDrawList* list, const std::string& text, ImVec2 min, ImVec2 max) {
    const float pad = scaled(5);
    const float left = min.x + pad;
    const float room = max.x - pad - left;
    if (room < scaled(k_min_text_px)) return;
    const float top = std::round((min.y + max.y - ImGui::GetTextLineHeight()) / 2);
    const std::string shown = fitting_text(text, room);
    list->AddText({left, top}, k_ink, shown.c_str());
}

void draw_bar(ImDrawList* list, const Place& place, std::uint32_t depth, const IcicleBar& bar) {
    const float gap = 1;
    const float left = place.px_of(bar.x_begin);
    const float right = std::max(left + 1, place.px_of(bar.x_end) - gap);
    const float top = place.top_of(depth);
    const ImVec2 min(std::max(left, place.canvas.min.x), top);
    const ImVec2 max(std::min(right, place.canvas.max.x), top + place.canvas.row_px - gap);
    const ImU32 colour = colour_of(place.icicle.nodes[bar.first_node], depth == place.icicle.root_row);
    list->AddRectFilled(min, max, bar.is_run() ? with_alpha(colour, 0x90) : colour);
    draw_text(list, bar_text(place.icicle, bar), min, max);
}

void draw_frame(ImDrawList* list, const Place& place, std::uint32_t node, ImU32 colour, float thickness_px) {
    const stacks::IcicleNode& shown = place.icicle.nodes[node];
    const float top = place.top_of(shown.depth);
    const float left = place.px_of(shown.start);
    list->AddRect({left, top}, {std::max(left + 2, place.px_of(shown.end())), top + place.canvas.row_px}, colour, 0, 0,
                  thickness_px);
}

/// Draws lines between groups, and a coloured one where the forward pass ends and the backward pass begins.
void draw_dividers(ImDrawList* list, const Place& place) {
    const std::uint32_t row = place.icicle.root_row;
    for (std::uint32_t i = place.icicle.level_begin(row) + 1; i < place.icicle.level_ends[row]; ++i) {
        const float x = std::round(place.px_of(place.icicle.nodes[i].start));
        list->AddLine({x, place.canvas.min.y}, {x, place.canvas.max.y}, palette().canvas, scaled(3));
        if (place.icicle.nodes[i].group != IcicleGroup::backward) continue;
        list->AddLine({x, place.canvas.min.y}, {x, place.canvas.max.y}, palette().notice);
    }
}

/// Draws everything except the parts that follow the mouse.
void draw_bars(ImDrawList* list, const Place& place) {
    list->AddRectFilled(place.canvas.min, place.canvas.max, palette().canvas);
    auto depth = static_cast<std::uint32_t>(std::max(0.0, place.window.top_row));
    for (; depth < place.icicle.depth_count() && place.top_of(depth) < place.canvas.max.y; ++depth) {
        for (const IcicleBar& bar : visible_bars(place.icicle, depth, place.window, place.width_px()))
            draw_bar(list, place, depth, bar);
    }
    draw_dividers(list, place);
}

void draw_frames(ImDrawList* list, const Place& place, const IcicleViewState& state) {
    const auto with_twin = [&](std::uint32_t node, ImU32 colour, float thickness_px) {
        draw_frame(list, place, node, colour, thickness_px);
        const std::uint32_t twin = place.icicle.nodes[node].twin;
        if (twin != stacks::IcicleNode::k_none) draw_frame(list, place, twin, palette().notice, thickness_px);
    };
    if (state.hovered && !state.hovered->is_run()) with_twin(state.hovered->first_node, palette().hover, scaled(1.5F));
    if (place.icicle.root_row > 0)
        draw_frame(list, place, place.icicle.level_begin(place.icicle.root_row), palette().text, scaled(1.5F));
    if (!state.selected) return;
    draw_frame(list, place, *state.selected, palette().selection_shadow, scaled(4.5F));
    with_twin(*state.selected, palette().selection, scaled(2));
}

void draw_icicle_axis(ImDrawList* list, const Place& place) {
    const bool is_time = place.icicle.unit == Unit::milliseconds;
    const double scale = is_time ? 1000 : 1;  // time_ticks() expects microseconds; the icicle is in milliseconds
    const auto spacing = static_cast<double>(scaled(130));
    const double begin = place.window.x_begin * scale;
    const double end = place.window.x_end * scale;
    const std::vector<AxisTick> ticks =
        is_time ? time_ticks(begin, end, place.width_px(), spacing) : memory_ticks(begin, end, place.width_px(), spacing);
    const ImVec2 min = place.canvas.min;
    const ImVec2 max = place.canvas.max;
    for (const AxisTick& tick : ticks) {
        const float x = std::round(place.px_of(tick.value / scale));
        const ImVec2 size = ImGui::CalcTextSize(tick.label.c_str());
        list->AddLine({x, max.y}, {x, max.y + scaled(4)}, palette().axis_text);
        const float left = text_left(x, size.x, min.x - scaled(8), max.x);
        list->AddText({left, max.y + scaled(7)}, palette().axis_text, tick.label.c_str());
    }
    const std::string title = fitting_text(place.icicle.axis_title, max.x - min.x);
    const ImVec2 size = ImGui::CalcTextSize(title.c_str());
    list->AddText({std::round((min.x + max.x - size.x) / 2), max.y + scaled(9) + size.y}, palette().text_dim, title.c_str());
    list->AddRect(min, max, palette().border);
}

/// Returns the area of the bars. Rows are as high as fits within a minimum and a maximum height; further rows scroll.
IcicleCanvas canvas_in(const stacks::Icicle& icicle, ImVec2 pos, ImVec2 size) {
    const float side = scaled(14);
    const float below = scaled(14) + 2 * ImGui::GetTextLineHeight();
    IcicleCanvas canvas;
    canvas.min = {std::floor(pos.x + side), std::floor(pos.y + scaled(8))};
    canvas.max = {std::floor(std::max(canvas.min.x + scaled(40), pos.x + size.x - side)),
                  std::floor(std::max(canvas.min.y + scaled(40), pos.y + size.y - below))};
    const float share = (canvas.max.y - canvas.min.y) / static_cast<float>(std::max(1U, icicle.depth_count()));
    canvas.row_px = std::floor(std::clamp(share, scaled(k_min_row_px), scaled(k_max_row_px)));
    return canvas;
}

void zoom_by_wheel(IcicleViewState& state, const Place& place) {
    const ImGuiIO& io = ImGui::GetIO();
    const double sideways = -0.05 * static_cast<double>(io.MouseWheelH) * state.window.width();
    const bool scrolls = io.KeyShift && io.MouseWheel != 0;
    if (scrolls || io.MouseWheelH != 0) {
        const double rows = scrolls ? -static_cast<double>(io.MouseWheel) : 0;
        state.window = pan_icicle(place.icicle, state.window, scrolls ? 0 : sideways, rows, state.rows_on_screen());
    } else if (io.MouseWheel != 0) {
        const double factor = std::pow(k_zoom_per_notch, static_cast<double>(io.MouseWheel));
        state.window = zoom_icicle(place.icicle, state.window, place.x_at(io.MousePos.x), factor);
    }
}

void drag(IcicleViewState& state, const Place& place) {
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, k_drag_threshold_px)) state.is_dragging = true;
    if (!state.is_dragging) return;
    const ImVec2 moved = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0);
    state.window = pan_icicle(place.icicle, state.pressed_window,
                              -static_cast<double>(moved.x) / place.width_px() * state.pressed_window.width(),
                              -static_cast<double>(moved.y / state.row_px), state.rows_on_screen());
}

void follow_mouse(IcicleViewState& state, const Place& place, Requests& requests) {
    const bool is_hovered = ImGui::IsItemHovered();
    if (ImGui::IsItemActivated()) {
        state.pressed_window = state.window;
        state.is_dragging = false;
    }
    if (ImGui::IsItemActive()) drag(state, place);
    const bool is_clicked = is_item_let_go(state.is_dragging);
    if (ImGui::IsItemDeactivated()) state.is_dragging = false;
    if (is_hovered) zoom_by_wheel(state, place);

    state.hovered.reset();
    if (!is_hovered || state.is_dragging) return;
    const Place now{place.icicle, state.window, place.canvas};
    state.hovered = now.bar_at(ImGui::GetIO().MousePos);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        if (state.hovered) zoom_into_bar(state, place.icicle, state.hovered->x_begin, state.hovered->x_end);
        if (!state.hovered) zoom_icicle_out(state, place.icicle);
    } else if (is_clicked) {
        requests.ask(
            SelectNode{state.hovered && !state.hovered->is_run() ? state.hovered->first_node : stacks::IcicleNode::k_none});
    }
}

/// Draws the context menu of a bar, opened by a right click.
void draw_bar_menu(IcicleViewState& state, const stacks::Icicle& icicle, Requests& requests) {
    const bool is_call = state.hovered && !state.hovered->is_run() && icicle.nodes[state.hovered->first_node].is_call();
    if (is_call && ImGui::IsMouseClicked(ImGuiMouseButton_Right)) {
        state.menu_node = state.hovered->first_node;
        ImGui::OpenPopup("bar menu");
    }
    if (!ImGui::BeginPopup("bar menu")) return;
    const stacks::IcicleNode& node = icicle.nodes[state.menu_node];
    const std::string words = "Callers and callees of " + node.function;
    if (ImGui::MenuItem(words.c_str(), "C", false, node.is_call())) requests.ask(ShowCallers{state.menu_node});
    observe_item("bar_callers");
    ImGui::EndPopup();
}

/// Scrolls the root to the middle, if its callers and its callees do not fit on the screen together.
void scroll_to_root(IcicleViewState& state, const stacks::Icicle& icicle) {
    state.shows_root = false;
    const double rows = state.rows_on_screen();
    state.window = pan_icicle(icicle, state.window, 0, static_cast<double>(icicle.root_row) - std::floor(rows / 2), rows);
}

void draw_tooltip(const IcicleBar& bar, const Place& place) {
    std::vector<TooltipLine> lines;
    for (const Fact& fact : bar_facts(place.icicle, bar))
        lines.push_back({fact_line(fact), fact.name.empty() ? palette().text : palette().text_dim});
    const float top = place.top_of(place.icicle.nodes[bar.first_node].depth);
    tooltip_beside({{place.px_of(bar.x_begin), top}, {place.px_of(bar.x_end), top + place.canvas.row_px}}, lines);
}

void draw_empty(const stacks::Icicle& icicle, const IcicleCanvas& canvas) {
    const std::string text = icicle.unit == Unit::milliseconds
                                 ? "This report lists no operations. Was the model in the project folder?"
                                 : "This report lists no weights and no activations with a size.";
    const ImVec2 size = ImGui::CalcTextSize(text.c_str());
    ImGui::GetWindowDrawList()->AddText(
        {std::round((canvas.min.x + canvas.max.x - size.x) / 2), std::round((canvas.min.y + canvas.max.y - size.y) / 2)},
        palette().text_dim, text.c_str());
}

}  // namespace

void draw_icicle_picture(const IcicleViewState& state, const stacks::Icicle& icicle, ScreenPoint pos, ScreenPoint size) {
    const Place place{icicle, state.window, canvas_in(icicle, pos, size)};
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (icicle.nodes.empty()) {
        list->AddRectFilled(place.canvas.min, place.canvas.max, palette().canvas);
        draw_empty(icicle, place.canvas);
        return;
    }
    list->PushClipRect(place.canvas.min, place.canvas.max, true);
    draw_bars(list, place);
    draw_frames(list, place, state);
    list->PopClipRect();
    draw_icicle_axis(list, place);
}

void draw_icicle_view(IcicleViewState& state, const stacks::Icicle& icicle, Requests& requests) {
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const ImVec2 size = ImGui::GetContentRegionAvail();
    if (size.x < scaled(160) || size.y < scaled(110)) return;
    const IcicleCanvas canvas = canvas_in(icicle, pos, size);
    state.min = canvas.min;
    state.max = canvas.max;
    state.row_px = canvas.row_px;
    if (state.shows_root) scroll_to_root(state, icicle);
    ImGui::SetCursorScreenPos(canvas.min);
    click_area("icicle", {canvas.max.x - canvas.min.x, canvas.max.y - canvas.min.y});
    observe_item("icicle");
    follow_mouse(state, {icicle, state.window, canvas}, requests);
    draw_icicle_picture(state, icicle, pos, size);
    draw_bar_menu(state, icicle, requests);
    if (state.hovered && !ImGui::IsPopupOpen("bar menu")) draw_tooltip(*state.hovered, {icicle, state.window, canvas});
}

void draw_picture_tabs(const IcicleState& state, const std::vector<const stacks::Icicle*>& icicles,
                       const std::optional<TimelineTab>& timeline, Requests& requests) {
    if (icicles.size() + (timeline ? 1 : 0) < 2) return;
    ImGui::PushStyleColor(ImGuiCol_ChildBg, palette().window);
    ImGui::BeginChild("picture tabs", {0, ImGui::GetFrameHeight() + scaled(8)}, false,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::SetCursorPos({scaled(10), scaled(4)});
    const auto tab = [&](const std::string& name, std::optional<std::size_t> picture, const char* doc) {
        const std::string rect = "picture_" + (picture ? icicles[*picture]->name : "timeline");
        if (toggle_button(name, state.shown == picture, rect, fmt::format("{} (I: next)", doc)))
            requests.ask(ShowPicture{picture ? *picture + 1 : 0});
        ImGui::SameLine(0, scaled(6));
    };
    if (timeline) tab(timeline->name, std::nullopt, timeline->doc);
    for (std::size_t i = 0; i < icicles.size(); ++i) tab(icicles[i]->name, i, icicles[i]->axis_title.c_str());
    if (state.shown) {
        const std::string totals = totals_text(*icicles[*state.shown]);
        const float left = ImGui::GetWindowWidth() - ImGui::CalcTextSize(totals.c_str()).x - scaled(14);
        if (left > ImGui::GetCursorPosX()) {
            ImGui::SetCursorPosX(left);
            ImGui::AlignTextToFramePadding();
            ImGui::TextUnformatted(totals.c_str());
        }
    }
    ImGui::EndChild();
    ImGui::PopStyleColor();
}

}  // namespace snapviewer::reports
