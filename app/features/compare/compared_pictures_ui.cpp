#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "app/features/compare/compare_ui.h"
#include "app/features/compare/compared_pictures.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/canvas_ui.h"
#include "app/features/timeline/colouring.h"
#include "app/ui/drawn_text.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/mesh/colours.h"
#include "core/mesh/mesh.h"

namespace snapviewer {
namespace {

/// Time per frame for uploading B to the GPU. Frames during the upload take this much longer.
constexpr auto k_sending_b_per_frame = std::chrono::milliseconds(8);

}  // namespace

void ComparedPictures::forget() {
    making_.discard();
    moving_.discard();
    wanted_.reset();
    canvas_a_.reset();
    canvas_b_.reset();
    sent_ = nullptr;
    moving_to_ = 0;
    session_.compare.pictures = ComparedPicturesState{};
}

void ComparedPictures::connect(Switchboard& board) {
    board.docked.push_back(
        {.dock = Dock::panel,
         .order = 300,
         .is_there = [](const Session& session) { return session.compare.is_open && has_picture(session); },
         .area = PanelArea::column,
         .width_share = &session_.compare.width_share,
         .hide = [this] { session_.compare.is_open = false; },
         .draw =
             [this](const Area& area, Requests& requests) {
                 draw_compare_window(session_.compare, session_.document->path, area, canvases(), requests);
             }});
}

void ComparedPictures::park() {
    canvas_a_.reset();
    canvas_b_.reset();
    sent_ = nullptr;
}

void ComparedPictures::update() {
    const CompareState& page = session_.compare;
    if (!session_.compare.is_open || page.shown == nullptr) {
        if (wanted_) forget();
        return;
    }
    const Wanted wanted{page.shown->task.a, page.shown->task.b, session_.colour_by == mesh::ColourBy::kind};
    if (wanted_ != wanted) {
        const bool is_same_pair = wanted_ && wanted_->a == wanted.a && wanted_->b == wanted.b;
        if (!is_same_pair) forget();
        wanted_ = wanted;
        making_.start(make_pictures_job(page.shown, wanted.with_kinds));
    }
    take();
    if (page.pictures.made == nullptr) return;
    send();
    continue_sending();
    follow_hand();
}

void ComparedPictures::take() {
    ComparedPicturesState& pictures = session_.compare.pictures;
    auto outcome = making_.take();
    if (!outcome) return;
    if (!*outcome) return fail(outcome->error());
    const bool is_first = pictures.made == nullptr;
    pictures.made = std::move(**outcome);
    if (is_first) fit_compared_pictures(pictures);
}

void ComparedPictures::fail(const Error& error) {
    if (error.code != ErrorCode::cancelled) session_.compare.pictures.error = "B cannot be drawn: it " + error.text();
}

std::vector<std::uint32_t> ComparedPictures::colours_of_b() const {
    const ComparedPicture& made = *session_.compare.pictures.made;
    const Timeline& timeline = made.timeline_b();
    mesh::ColourGroups groups = made.kinds_of_b() != nullptr ? kind_groups(timeline, made.kinds_of_b())
                                                             : mesh::colour_groups(timeline, session_.colour_by);
    for (mesh::ColourGroup& group : groups.groups) {
        const auto of_a = std::ranges::find(session_.groups.groups, group.name, &mesh::ColourGroup::name);
        if (of_a != session_.groups.groups.end()) group.colour = of_a->colour;
    }
    if (groups.groups.empty() && session_.colour_by == mesh::ColourBy::stack)
        return mesh::AllocationColours(timeline, made.stack_colours_of_b()).all();
    return mesh::AllocationColours(timeline, session_.colour_by, groups).all();
}

/// True if B is drawn with the current highlight, colouring and theme.
bool ComparedPictures::has_colours() const {
    return lit_ == session_.compare.lit_b && coloured_by_ == session_.colour_by && ground_ == palette().ground;
}

/// Uploads the timeline of B once, and updates its colours and highlight whenever they change.
void ComparedPictures::send() {
    const auto& made = session_.compare.pictures.made;
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
    lit_ = session_.compare.lit_b;
    coloured_by_ = session_.colour_by;
    ground_ = palette().ground;
    if (sent) sent = renderer.set_highlight(lit_.get(), ground_);
    if (!sent) fail(sent.error());
}

void ComparedPictures::continue_sending() {
    if (canvas_b_ == nullptr) return;
    render::TimelineRenderer& renderer = canvas_b_->renderer();
    const render::UploadProgress before = renderer.upload_progress();
    if (before.is_done()) return;
    if (const Status sent = renderer.continue_upload(k_sending_b_per_frame); !sent) fail(sent.error());
    if (renderer.upload_progress().is_done() != before.is_done()) canvas_b_->invalidate();
}

/// Starts to recompute the curves if the user has shifted B. Until that is done, the previous curves stay on the screen.
void ComparedPictures::follow_hand() {
    ComparedPicturesState& pictures = session_.compare.pictures;
    if (auto moved = moving_.take())
        pictures.moved_curves = std::make_shared<const compare::AlignedCurves>(std::move(*moved));
    if (moving_.is_busy() || moving_to_ == pictures.later_steps) return;
    moving_to_ = pictures.later_steps;
    if (moving_to_ == 0)
        pictures.moved_curves.reset();
    else
        moving_.start(make_curves_job(session_.compare.shown, moving_to_));
}

bool ComparedPictures::is_busy() const {
    if (making_.is_busy() || moving_.is_busy() || is_coarse()) return true;
    const CompareState& page = session_.compare;
    if (!session_.compare.is_open || page.shown == nullptr) return wanted_.has_value();
    if (!wanted_ || moving_to_ != page.pictures.later_steps) return true;
    return canvas_b_ != nullptr && (!has_colours() || !canvas_b_->renderer().upload_progress().is_done());
}

ComparedCanvases ComparedPictures::canvases() {
    const auto& shown = session_.compare.shown;
    if (!wanted_ || shown == nullptr) return {};
    ComparedCanvases canvases;
    const bool has_a = shown->task.a == OpenDevice{session_.document, session_.device_index} &&
                       session_.current_timeline() != nullptr && session_.current_kind() == ViewKind::allocations;
    if (has_a) {
        if (canvas_a_ == nullptr) canvas_a_ = pictures_.canvas().create_with_same_renderer();
        canvases.a = canvas_a_.get();
        canvases.mesh_a = &session_.current_mesh();
        canvases.selected_a = session_.selected();
        canvases.a_has_nothing_lit = session_.compare.lit_b != nullptr && session_.compare.lit_name.empty();
    }
    if (session_.compare.pictures.made != nullptr && canvas_b_ != nullptr &&
        canvas_b_->renderer().upload_progress().is_done())
        canvases.b = canvas_b_.get();
    return canvases;
}

namespace {

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

/// Data for drawing both timelines of a comparison in one frame.
struct ComparedFrame {
    const ComparedPicture& made;
    const ComparedCanvases& canvases;
    compare::SharedAxis axis;  ///< shared axis, with B at its shifted position
    ViewLimits limits;

    const Timeline& timeline(ComparedSide side) const {
        return side == ComparedSide::a ? made.timeline_a() : made.timeline_b();
    }
};

Projection place_picture(const View& view, ImVec2 pos, ImVec2 size, bool has_labels_below) {
    const AxisMargins margins = axis_margins();
    const float below = has_labels_below ? margins.bottom - scaled(4) : scaled(k_gap_of_pictures_px);
    return {view,
            {std::floor(pos.x + margins.left), std::floor(pos.y)},
            {std::floor(pos.x + size.x - margins.right), std::floor(pos.y + size.y - below)}};
}

void zoom_both(ComparedPicturesState& state, const ComparedFrame& frame, const Projection& projection) {
    if (turned_notches() == 0) return;
    const double begin = frame.axis.begin();
    state.view =
        moved_view(wheeled_view({moved_view(state.view, -begin), projection.min, projection.max}, frame.limits), begin);
}

/// Pans the view of both timelines, or shifts B alone, while the mouse is dragged.
void drag_both(ComparedPicturesState& state, const ComparedFrame& frame, const Projection& projection) {
    if (ImGui::IsMouseDragging(ImGuiMouseButton_Left, k_drag_threshold_px)) state.is_dragging = true;
    if (!state.is_dragging) return;
    if (state.moves_b) {
        const double moved = static_cast<double>(ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0).x);
        state.later_steps =
            std::round(state.pressed_later_steps + moved / projection.width_px() * state.pressed_view.width());
        return;
    }
    const double begin = frame.axis.begin();
    state.view = moved_view(dragged_view(moved_view(state.pressed_view, -begin), projection, frame.limits), begin);
}

/// The allocation of A or B that is drawn under the mouse, or nullopt.
std::optional<ComparedAllocation> allocation_under(const ComparedPicturesState& state, const ComparedFrame& frame,
                                                   ComparedSide side, const Projection& projection) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const float pixels = ImGui::GetIO().DisplayFramebufferScale.x;
    const float left = projection.min.x + std::floor((mouse.x - projection.min.x) * pixels) / pixels;
    double x_begin = projection.x_at(left);
    double x_end = projection.x_at(left + 1 / pixels);
    const double bytes = projection.y_at(std::floor(mouse.y) + 0.5F);
    std::optional<PlacedAllocation> found;
    if (side == ComparedSide::b) {
        found = frame.made.pick_b(x_begin, x_end, bytes, state.later_steps);
    } else if (frame.canvases.mesh_a != nullptr) {
        if (x_end - x_begin <= 1) x_begin = x_end = std::midpoint(x_begin, x_end);
        found = mesh::pick_in_column(frame.made.timeline_a(), *frame.canvases.mesh_a, Axis::steps, x_begin, x_end, bytes);
    }
    if (!found) return std::nullopt;
    return ComparedAllocation{side, found->id};
}

void follow_mouse_over(ComparedPicturesState& state, const ComparedFrame& frame, ComparedSide side,
                       const Projection& projection, Requests& requests) {
    const bool is_hovered = ImGui::IsItemHovered();
    if (ImGui::IsItemActivated()) {
        state.pressed_view = state.view;
        state.pressed_later_steps = state.later_steps;
        state.moves_b = ImGui::GetIO().KeyAlt;
        state.is_dragging = false;
    }
    if (ImGui::IsItemActive()) drag_both(state, frame, projection);
    const bool is_clicked = is_item_let_go(state.is_dragging);
    if (ImGui::IsItemDeactivated()) state.is_dragging = false;
    if (!is_hovered) return;
    zoom_both(state, frame, projection);
    state.cursor = projection.x_at(ImGui::GetIO().MousePos.x);
    if (ImGui::GetIO().KeyAlt) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (!state.is_dragging) state.hovered = allocation_under(state, frame, side, projection);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        fit_compared_pictures(state);
    } else if (is_clicked) {
        state.chosen = state.hovered;
        if (side == ComparedSide::a && frame.canvases.a != nullptr)
            requests.ask(SelectAllocation{state.hovered ? state.hovered->id : AllocationId::none()});
    }
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

void draw_side_letter(ImDrawList* list, const Projection& projection, ComparedSide side) {
    const ImVec2 at(projection.min.x + scaled(6), projection.min.y + scaled(3));
    const bool is_a = side == ComparedSide::a;
    draw_boxed_text(list, at, {scaled(3), scaled(1)}, with_alpha(palette().canvas, 0xd0),
                    is_a ? compared_colour_a() : compared_colour_b(), is_a ? "A" : "B");
}

void draw_side_picture(const ComparedPicturesState& state, const ComparedFrame& frame, const compare::AlignedCurves& curves,
                       ComparedSide side, const Projection& projection) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    const bool is_a = side == ComparedSide::a;
    const AllocationId chosen = state.chosen && state.chosen->side == side ? state.chosen->id : AllocationId::none();
    if (render::TimelineCanvas* canvas = is_a ? frame.canvases.a : frame.canvases.b) {
        const View view = is_a ? state.view : frame.made.view_of_b(state.view, state.later_steps);
        draw_canvas(list, *canvas, {view, projection.min, projection.max}, is_a ? Axis::steps : Axis::time,
                    is_a ? frame.canvases.selected_a : chosen);
    } else {
        list->AddRectFilled(projection.min, projection.max, palette().canvas);
        draw_picture_note(list, projection,
                          is_a                  ? "The main window does not show A's allocations at the moment."
                          : state.error.empty() ? "Sending B's picture to the graphics card"
                                                : state.error);
    }
    if (is_a && frame.canvases.a_has_nothing_lit)
        list->AddRectFilled(projection.min, projection.max, with_alpha(palette().canvas, 0xc0));
    const float below = is_a ? scaled(7) : scaled(40);
    list->PushClipRect({projection.min.x - axis_margins().left, projection.min.y - scaled(8)},
                       {projection.max.x + axis_margins().right, projection.max.y + below}, true);
    draw_axes(list, projection, Axis::steps, std::nullopt);
    list->PopClipRect();
    draw_edges_of_steps(list, projection, curves.step_edges);
    if (state.cursor) draw_line_at(list, projection, *state.cursor, palette().hover);
    draw_side_letter(list, projection, side);
}

void draw_hovered_tooltip(const ComparedFrame& frame, const ComparedAllocation& hovered) {
    const AllocationSummary summary = summarise(frame.timeline(hovered.side), hovered.id);
    std::vector<TooltipLine> lines = {{(hovered.side == ComparedSide::a ? "A: " : "B: ") + summary.size}};
    if (!summary.what.empty()) lines.push_back({summary.what});
    lines.push_back({summary.life, palette().text_dim});
    if (!summary.origin.empty()) lines.push_back({summary.origin, palette().text_dim});
    if (!summary.own_line.empty()) lines.push_back({summary.freed_by + summary.own_line});
    tooltip_beside(box_at_mouse(), lines);
}

/// Draws a line about the clicked allocation. Its tooltip shows the stack.
void draw_chosen_line(const ComparedPicturesState& state, const ComparedFrame& frame) {
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float right = pos.x + ImGui::GetContentRegionAvail().x;
    const float line = ImGui::GetTextLineHeight();
    ImGui::Dummy({right - pos.x, line});
    report_rect("compare_chosen");
    ImDrawList* list = ImGui::GetWindowDrawList();
    if (!state.chosen) {
        draw_cut_text(list, pos, right, palette().text_faint,
                      "Click an allocation to keep it selected; Alt+drag moves B; double-click shows everything");
        return;
    }
    const Timeline& timeline = frame.timeline(state.chosen->side);
    const AllocationSummary summary = summarise(timeline, state.chosen->id);
    std::string text = summary.size;
    for (const std::string& part : {summary.what, summary.life, summary.origin, summary.freed_by + summary.own_line})
        if (!part.empty()) text += "  ·  " + part;
    const bool is_a = state.chosen->side == ComparedSide::a;
    list->AddText(pos, is_a ? compared_colour_a() : compared_colour_b(), is_a ? "A" : "B");
    draw_cut_text(list, {pos.x + scaled(16), pos.y}, right, palette().text, text);
    if (!ImGui::IsItemHovered()) return;
    const StackId stack = timeline.trace().allocations.stack[state.chosen->id.value];
    const std::string lines = stack.is_some() ? stack_lines_text(stack_lines(timeline, stack)) : "no stack was recorded";
    item_tooltip(lines);
}

void draw_both(ComparedPicturesState& state, const ComparedFrame& frame, const compare::AlignedCurves& curves,
               float height_px, Requests& requests) {
    const ImVec2 pos = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const float height_b = height_px + axis_margins().bottom - scaled(4) - scaled(k_gap_of_pictures_px);
    state.projection_a = place_picture(state.view, pos, {width, height_px}, false);
    state.projection_b = place_picture(state.view, {pos.x, pos.y + height_px}, {width, height_b}, true);
    state.hovered.reset();
    state.cursor.reset();
    for (const ComparedSide side : {ComparedSide::a, ComparedSide::b}) {
        const Projection& at = side == ComparedSide::a ? state.projection_a : state.projection_b;
        const char* name = side == ComparedSide::a ? "compare_picture_a" : "compare_picture_b";
        ImGui::SetCursorScreenPos(at.min);
        click_area(name, {at.max.x - at.min.x, at.max.y - at.min.y});
        report_rect(name);
        follow_mouse_over(state, frame, side, at, requests);
    }
    state.projection_a.view = state.projection_b.view = state.view;
    draw_side_picture(state, frame, curves, ComparedSide::a, state.projection_a);
    draw_side_picture(state, frame, curves, ComparedSide::b, state.projection_b);
    ImGui::SetCursorScreenPos({pos.x, pos.y + height_px + height_b});
    if (state.hovered && !state.is_dragging) draw_hovered_tooltip(frame, *state.hovered);
    draw_chosen_line(state, frame);
}

}  // namespace

void fit_compared_pictures(ComparedPicturesState& state) {
    const compare::SharedAxis axis = state.made->axis().moved(state.later_steps);
    state.view = moved_view(fit_view(state.made->limits(axis)), axis.begin());
}

float compared_picture_height(float room_px) {
    const float each = std::min(room_px * k_share_of_pictures / 2, scaled(k_max_picture_px));
    return each < scaled(k_min_picture_px) ? 0 : std::floor(each);
}

void draw_compared_pictures(ComparedPicturesState& state, const ShownComparison& shown, const ComparedCanvases& canvases,
                            float picture_height_px, Requests& requests) {
    const compare::AlignedCurves& curves = state.moved_curves != nullptr ? *state.moved_curves : shown.curves;
    const bool has_pictures = state.made != nullptr && picture_height_px > 0;
    const AxisMargins margins = axis_margins();
    draw_aligned_curves(
        shown, {curves, has_pictures ? std::optional(state.view) : std::nullopt, state.cursor, margins.left, margins.right},
        requests);
    if (!has_pictures) return;
    const compare::SharedAxis axis = state.made->axis().moved(state.later_steps);
    const ComparedFrame frame{*state.made, canvases, axis, state.made->limits(axis)};
    draw_both(state, frame, curves, picture_height_px, requests);
}

}  // namespace snapviewer
