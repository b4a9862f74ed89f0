#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "app/features/compare/compared_pictures.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/canvas_ui.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/chart.h"
#include "app/ui/drawn_text.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"
#include "core/mesh/mesh.h"

namespace snapviewer::compare {
namespace {

constexpr float k_aligned_height = 120;
constexpr float k_height_over_pictures = 56;

double share_of(const AlignedCurves& curves, double place) { return (place - curves.begin) / (curves.end - curves.begin); }

float place_px(const Chart& chart, const AlignedCurves& curves, double place) {
    return chart.x_of_share(std::clamp(share_of(curves, place), 0.0, 1.0));
}

/// Darkens the parts of the curves that the timelines below do not show.
void shade_outside(const Chart& chart, const AlignedCurves& curves, const View& view) {
    const float left = place_px(chart, curves, view.x_begin);
    const float right = place_px(chart, curves, view.x_end);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImU32 shade = with_alpha(palette().window, 0xa0);
    if (left > chart.min().x) list->AddRectFilled(chart.min(), {left, chart.max().y}, shade);
    if (right < chart.max().x) list->AddRectFilled({right, chart.min().y}, chart.max(), shade);
}

std::string total_words(const std::optional<std::uint64_t>& bytes) { return bytes ? format_bytes(*bytes) : "not recorded"; }

/// Draws the memory totals of two recordings over a common axis, with the boundaries of corresponding training steps. A
/// click requests the moment of A under the mouse. `view` is the part of the axis that the timelines below show, or null.
void draw_aligned_curves(const ShownComparison& shown, const View* view, const std::optional<double>& cursor,
                         Requests& requests) {
    const AlignedCurves& curves = shown.curves;
    const AxisMargins margins = axis_margins();
    Chart chart({.id = "aligned curves",
                 .rect = "compare_curves",
                 .height_px = view != nullptr ? k_height_over_pictures : k_aligned_height,
                 .columns = curves.a.size(),
                 .top_bytes = std::max(highest_bytes(curves.a), highest_bytes(curves.b)),
                 .left_px = margins.left,
                 .right_px = margins.right});
    chart.fill_below(curves.a, with_alpha(compared_colour(ComparedSide::a), 0x38));
    for (const double edge : curves.step_edges) chart.draw_grid_line(share_of(curves, edge));
    chart.draw_curve(curves.a, compared_colour(ComparedSide::a));
    chart.draw_curve(curves.b, compared_colour(ComparedSide::b));
    if (view != nullptr) shade_outside(chart, curves, *view);
    if (cursor) chart.draw_line_at(place_px(chart, curves, *cursor), palette().hover);
    const auto column = chart.hovered_column();
    if (!column) return;
    chart.draw_line_at(chart.x(*column), palette().hover);
    const Timeline& timeline = shown.input.a.analyses().timeline();
    const double step = curves.begin + static_cast<double>(chart.mouse_share()) * (curves.end - curves.begin);
    mouse_tooltip(fmt::format("{} of A\nA  {}\nB  {}", step_text(timeline, step), total_words(curves.a[*column]),
                              total_words(curves.b[*column])));
    const std::uint32_t moment = timeline.tick_events()[timeline.tick_at(Axis::steps, step)];
    if (chart.is_clicked() && curves.a[*column] && moment > 0) requests.ask(GoToEvent{moment - 1});
}

constexpr float k_min_picture_px = 70;
constexpr float k_max_picture_px = 240;
constexpr float k_gap_of_pictures_px = 6;
/// Height of both timelines together, as a fraction of the height of the comparison.
constexpr float k_share_of_pictures = 0.34F;
constexpr float k_min_edge_gap_in_picture_px = 8;

/// Shifts a view horizontally. Needed because view limits begin at 0 but the axis begins at the earlier beginning of A and
/// B.
View moved_view(View view, double by) {
    view.x_begin += by;
    view.x_end += by;
    return view;
}

Projection place_picture(const View& view, ImVec2 pos, ImVec2 size, bool has_labels_below) {
    const AxisMargins margins = axis_margins();
    const float below = has_labels_below ? margins.bottom - scaled(4) : scaled(k_gap_of_pictures_px);
    return {view,
            {std::floor(pos.x + margins.left), std::floor(pos.y)},
            {std::floor(pos.x + size.x - margins.right), std::floor(pos.y + size.y - below)}};
}

void draw_line_at(ImDrawList* list, const Projection& projection, double place, ImU32 colour) {
    const auto x = static_cast<float>(projection.px_of_x(place));
    if (x < projection.min.x || x > projection.max.x) return;
    list->AddLine({x, projection.min.y}, {x, projection.max.y}, colour, scaled(1));
}

void draw_edges_of_steps(ImDrawList* list, const Projection& projection, const std::vector<double>& edges) {
    double last = -1e9;
    for (const double edge : edges) {
        const double x = projection.px_of_x(edge);
        if (x - last < static_cast<double>(scaled(k_min_edge_gap_in_picture_px))) continue;
        draw_line_at(list, projection, edge, with_alpha(palette().text_faint, 0x60));
        last = x;
    }
}

void draw_picture_note(ImDrawList* list, const Projection& projection, const std::string& text) {
    const float left = projection.min.x + scaled(30);
    draw_cut_text(list, {left, (projection.min.y + projection.max.y - ImGui::GetTextLineHeight()) / 2},
                  projection.max.x - scaled(8), palette().text_dim, text);
}

const char* letter_of(ComparedSide side) { return side == ComparedSide::a ? "A" : "B"; }

void draw_side_letter(ImDrawList* list, const Projection& projection, ComparedSide side) {
    const ImVec2 at(projection.min.x + scaled(6), projection.min.y + scaled(3));
    draw_boxed_text(list, at, {scaled(3), scaled(1)}, with_alpha(palette().canvas, 0xd0), compared_colour(side),
                    letter_of(side));
}

void draw_hovered_tooltip(const ComparedPicture& made, const ComparedAllocation& hovered) {
    const AllocationSummary summary = summarise(made.timeline(hovered.side), hovered.id);
    std::vector<TooltipLine> lines = {{fmt::format("{}: {}", letter_of(hovered.side), summary.size)}};
    if (!summary.what.empty()) lines.push_back({summary.what});
    lines.push_back({summary.life, palette().text_dim});
    if (!summary.origin.empty()) lines.push_back({summary.origin, palette().text_dim});
    if (!summary.own_line.empty()) lines.push_back({summary.freed_by + summary.own_line});
    tooltip_beside(box_at_mouse(), lines);
}

/// Draws a line about the clicked allocation. Its tooltip shows the stack.
void draw_chosen_line(const ComparedPicture& made, const std::optional<ComparedAllocation>& chosen) {
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float right = pos.x + ImGui::GetContentRegionAvail().x;
    const float line = ImGui::GetTextLineHeight();
    ImGui::Dummy({right - pos.x, line});
    observe_item("compare_chosen");
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (!chosen)
        return draw_cut_text(list, pos, right, palette().text_faint,
                             "Click an allocation to keep it selected; double-click shows everything");
    const Timeline& timeline = made.timeline(chosen->side);
    const AllocationSummary summary = summarise(timeline, chosen->id);
    std::string text = summary.size;
    for (const std::string& part : {summary.what, summary.life, summary.origin, summary.freed_by + summary.own_line})
        if (!part.empty()) text += "  ·  " + part;
    list->AddText(pos, compared_colour(chosen->side), letter_of(chosen->side));
    draw_cut_text(list, {pos.x + scaled(16), pos.y}, right, palette().text, text);
    if (!ImGui::IsItemHovered()) return;
    const StackId stack = timeline.trace().allocations.stack[chosen->id.value];
    item_tooltip(stack.is_some() ? stack_lines_text(stack_lines(timeline, stack)) : "no stack was recorded");
}

/// Height of each of the two timelines, in pixels, if the comparison is `room_px` high. 0 if there is too little room for
/// timelines.
float compared_picture_height(float room_px) {
    const float each = std::min(room_px * k_share_of_pictures / 2, scaled(k_max_picture_px));
    return each < scaled(k_min_picture_px) ? 0 : std::floor(each);
}

}  // namespace

/// True if B is drawn with the current highlight, colouring and theme.
bool ComparedPictures::has_colours() const {
    return sent_highlight_ == compare_.state().highlight_b && coloured_by_ == session_.colour_by &&
           ground_ == palette().ground;
}

/// Uploads the timeline of B once, and updates its colours and highlight whenever they change.
void ComparedPictures::send() {
    const auto& made = state_.made;
    const bool is_sent = sent_ == made.get();
    if (is_sent && has_colours()) return;
    if (canvas_b_ == nullptr) canvas_b_ = pictures_.canvas().create_with_same_programs();
    canvas_b_->invalidate();
    render::TimelineRenderer& renderer = canvas_b_->renderer();
    Status sent;
    if (!is_sent)
        sent = renderer.begin_upload(made->tables(), made, made->mesh(), colours_of_b());
    else if (coloured_by_ != session_.colour_by)
        renderer.set_colours(colours_of_b());
    sent_ = made.get();
    sent_highlight_ = compare_.state().highlight_b;
    coloured_by_ = session_.colour_by;
    ground_ = palette().ground;
    if (sent) sent = renderer.set_highlight(sent_highlight_.get(), ground_);
    if (!sent) fail(sent.error());
}

/// Zooms out to the full extent of both timelines.
void ComparedPictures::fit() { state_.view = moved_view(fit_view(state_.made->limits()), state_.made->axis().begin()); }

/// Pans the view of both timelines while the mouse is dragged.
void ComparedPictures::drag(const Projection& projection) {
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, k_drag_threshold_px)) state_.is_dragging = true;
    if (!state_.is_dragging) return;
    const double begin = state_.made->axis().begin();
    const View pressed = moved_view(state_.pressed_view, -begin);
    state_.view = moved_view(dragged_view(pressed, projection, state_.made->limits()), begin);
}

/// The allocation of A or B that is drawn under the mouse, or nullopt.
std::optional<ComparedAllocation> ComparedPictures::allocation_under(ComparedSide side, const Projection& projection) const {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const float pixels = ImGui::GetIO().DisplayFramebufferScale.x;
    const float left = projection.min.x + std::floor((mouse.x - projection.min.x) * pixels) / pixels;
    double x_begin = projection.x_at(left);
    double x_end = projection.x_at(left + 1 / pixels);
    const double bytes = projection.y_at(std::floor(mouse.y) + 0.5F);
    std::optional<PlacedAllocation> found;
    if (side == ComparedSide::b) {
        found = state_.made->pick_b(x_begin, x_end, bytes);
    } else if (shows_a()) {
        if (x_end - x_begin <= 1) x_begin = x_end = std::midpoint(x_begin, x_end);
        found = mesh::pick_in_column(state_.made->timeline_a(), session_.current_mesh(), Axis::steps, x_begin, x_end, bytes);
    }
    if (!found) return std::nullopt;
    return ComparedAllocation{side, found->id};
}

void ComparedPictures::follow_mouse(ComparedSide side, const Projection& projection, Requests& requests) {
    const bool is_hovered = ImGui::IsItemHovered();
    if (ImGui::IsItemActivated()) {
        state_.pressed_view = state_.view;
        state_.is_dragging = false;
    }
    if (ImGui::IsItemActive()) drag(projection);
    const bool is_clicked = is_item_let_go(state_.is_dragging);
    if (ImGui::IsItemDeactivated()) state_.is_dragging = false;
    if (!is_hovered) return;
    if (turned_notches() != 0) {
        const double begin = state_.made->axis().begin();
        const Projection seen{moved_view(state_.view, -begin), projection.min, projection.max};
        state_.view = moved_view(wheeled_view(seen, state_.made->limits()), begin);
    }
    state_.cursor = projection.x_at(ImGui::GetIO().MousePos.x);
    if (!state_.is_dragging) state_.hovered = allocation_under(side, projection);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        fit();
    } else if (is_clicked) {
        state_.chosen = state_.hovered;
        if (side == ComparedSide::a && shows_a())
            requests.ask(SelectAllocation{state_.hovered ? state_.hovered->id : AllocationId::none()});
    }
}

/// Draws the timeline of A or B, with its axes and the boundaries of the training steps.
void ComparedPictures::draw_side(ComparedSide side, const Projection& projection) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const CompareState& page = compare_.state();
    const bool is_a = side == ComparedSide::a;
    if (is_a && shows_a()) {
        if (canvas_a_ == nullptr) canvas_a_ = pictures_.canvas().create_with_same_renderer();
        draw_canvas(list, *canvas_a_, projection, Axis::steps, session_.selected());
        const bool has_no_highlight = page.highlight_b != nullptr && page.highlight_name.empty();
        if (has_no_highlight) list->AddRectFilled(projection.min, projection.max, with_alpha(palette().canvas, 0xc0));
    } else if (!is_a && shows_b()) {
        const bool is_chosen = state_.chosen && state_.chosen->side == side;
        draw_canvas(list, *canvas_b_, {state_.made->view_of_b(state_.view), projection.min, projection.max}, Axis::time,
                    is_chosen ? state_.chosen->id : AllocationId::none());
    } else {
        list->AddRectFilled(projection.min, projection.max, palette().canvas);
        draw_picture_note(list, projection,
                          is_a                   ? "The main window does not show A's allocations at the moment."
                          : state_.error.empty() ? "Sending B's picture to the graphics card"
                                                 : state_.error);
    }
    const float below = is_a ? scaled(7) : scaled(40);
    list->PushClipRect({projection.min.x - axis_margins().left, projection.min.y - scaled(8)},
                       {projection.max.x + axis_margins().right, projection.max.y + below}, true);
    draw_axes(list, projection, Axis::steps, std::nullopt);
    list->PopClipRect();
    draw_edges_of_steps(list, projection, page.shown->curves.step_edges);
    if (state_.cursor) draw_line_at(list, projection, *state_.cursor, palette().hover);
    draw_side_letter(list, projection, side);
}

/// Draws both timelines, and handles mouse drag, wheel, hover and click.
void ComparedPictures::draw_both(float height_px, Requests& requests) {
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float height_b = height_px + axis_margins().bottom - scaled(4) - scaled(k_gap_of_pictures_px);
    Projection at_a = place_picture(state_.view, pos, {width, height_px}, false);
    Projection at_b = place_picture(state_.view, {pos.x, pos.y + height_px}, {width, height_b}, true);
    state_.hovered.reset();
    state_.cursor.reset();
    for (const ComparedSide side : {ComparedSide::a, ComparedSide::b}) {
        const Projection& at = side == ComparedSide::a ? at_a : at_b;
        const char* name = side == ComparedSide::a ? "compare_picture_a" : "compare_picture_b";
        ImGui::SetCursorScreenPos(at.min);
        click_area(name, {at.max.x - at.min.x, at.max.y - at.min.y});
        observe_item(name);
        follow_mouse(side, at, requests);
    }
    at_a.view = at_b.view = state_.view;
    draw_side(ComparedSide::a, at_a);
    draw_side(ComparedSide::b, at_b);
    ImGui::SetCursorScreenPos({pos.x, pos.y + height_px + height_b});
    if (state_.hovered && !state_.is_dragging) draw_hovered_tooltip(*state_.made, *state_.hovered);
    draw_chosen_line(*state_.made, state_.chosen);
}

void ComparedPictures::draw(float room_px, Requests& requests) {
    const float height_px = compared_picture_height(room_px);
    const bool has_pictures = state_.made != nullptr && height_px > 0;
    draw_aligned_curves(*compare_.state().shown, has_pictures ? &state_.view : nullptr, state_.cursor, requests);
    if (has_pictures) draw_both(height_px, requests);
}

}  // namespace snapviewer::compare
