#include "app/features/navigation/navigation.h"

#include <numeric>

#include "app/features/reports/icicle.h"
#include "app/features/session.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/timeline_axis.h"

namespace snapviewer::navigation {

void toggle_axis(Session& session) {
    const Timeline* timeline = session.current_timeline();
    if (timeline == nullptr || session.shown_icicle() != nullptr) return;
    if (!timeline->has_times()) {
        session.notice = why_no_times(*timeline);
        return;
    }
    DeviceState& device = session.current_device();
    const Axis other = device.axis == Axis::steps ? Axis::time : Axis::steps;
    device.view = change_axis(*timeline, device.view, device.axis, other);
    device.axis = other;
    session.timeline.forget_outlines();
}

void show_picture(Session& session, std::size_t picture) {
    if (!session.document || picture > session.icicle.views.size()) return;
    if (picture > 0) {
        session.icicle.shown = picture - 1;
    } else if (session.current_timeline() != nullptr) {
        session.icicle.shown.reset();
    }
}

namespace {

// Movement of the view of the picture on the screen, a timeline or an icicle; no-op if there is neither.

void fit(Session& session) {
    if (const stacks::Icicle* icicle = session.shown_icicle()) {
        reports::IcicleViewState& view = session.shown_icicle_view();
        view.zoomed_from.clear();
        view.window = reports::whole_icicle(*icicle);
        view.shows_root = true;
    } else if (session.current_timeline() != nullptr) {
        session.current_device().view = fit_view(session.current_limits());
    }
}

void zoom_to_selection(Session& session) {
    if (const stacks::Icicle* icicle = session.shown_icicle()) {
        reports::zoom_icicle_to_selection(session.shown_icicle_view(), *icicle);
        return;
    }
    if (!session.selected().is_some()) return;
    DeviceState& device = session.current_device();
    const Outline outline = make_outline(*session.current_timeline(), device.axis, device.selected);
    device.view = frame_view(bounds(outline), session.current_limits());
}

/// Shows a part of the timeline, clamped to the maximum zoom.
void show_part(Session& session, const View& view) {
    if (session.current_timeline() != nullptr) session.current_device().view = allowed_view(view, session.current_limits());
}

void zoom_about_middle(Session& session, double factor) {
    if (const stacks::Icicle* icicle = session.shown_icicle()) {
        reports::zoom_icicle_about_middle(session.shown_icicle_view(), *icicle, factor);
    } else if (session.current_timeline() != nullptr) {
        View& view = session.current_device().view;
        view = zoom_view(view, std::midpoint(view.x_begin, view.x_end), std::midpoint(view.y_begin, view.y_end), factor,
                         factor, session.current_limits());
    }
}

void toggle_clock(Session& session) {
    session.preferences.clock_times = !session.preferences.clock_times;
    if (session.preferences.clock_times && session.current_timeline() && session.current_device().axis == Axis::steps)
        toggle_axis(session);
}

void show_overlay(Session& session, const std::string& id, bool is_shown) {
    if (session.current_timeline() == nullptr) return;
    const View fitted = fit_view(session.current_limits());
    session.preferences.overlays[id] = is_shown;
    // If the whole picture was in view, keeps it in view, because the overlay has changed the limits.
    DeviceState& device = session.current_device();
    if (device.view == fitted) device.view = fit_view(session.current_limits());
}

constexpr std::size_t k_max_places = 500;
/// A wheel that pauses for longer than this starts a new movement.
constexpr double k_rest_s = 0.6;

}  // namespace

std::optional<ViewHistory::Place> ViewHistory::current() const {
    if (session_.current_timeline() == nullptr) return std::nullopt;
    const DeviceState& device = session_.current_device();
    return Place{session_.device_index, session_.current_kind(), device.axis, device.view};
}

void ViewHistory::leave(const std::optional<Place>& place) {
    after_.clear();
    if (!place) return;
    if (before_.size() == k_max_places) before_.erase(before_.begin());
    before_.push_back(*place);
}

/// Changes while a button or key is held count as one movement, however many frames they take. The last change may come in
/// the frame in which it is released, hence `was_held_`.
void ViewHistory::end_drawing(double now_s) {
    const TimelineState& timeline = session_.timeline;
    const bool is_held = timeline.is_dragging || timeline.tracks.is_dragging || timeline.minimap.is_dragging();
    const std::optional<Place> now = current();
    if (now != last_) {
        const bool goes_on = is_held || was_held_ ? has_hold_moved_ : now_s - moved_at_s_ <= k_rest_s;
        if (!goes_on) leave(last_);
        has_hold_moved_ = true;
        moved_at_s_ = now_s;
        last_ = now;
    }
    if (!is_held) has_hold_moved_ = false;
    was_held_ = is_held;
}

void ViewHistory::end_frame() {
    const std::optional<Place> now = current();
    if (now == last_) return;
    leave(last_);
    moved_at_s_ = -1e9;
    last_ = now;
}

void ViewHistory::go(bool back) {
    std::vector<Place>& from = back ? before_ : after_;
    if (from.empty() || !last_) return;
    (back ? after_ : before_).push_back(*last_);
    const Place place = from.back();
    from.pop_back();
    pictures_.show(place.device_index, place.kind);
    DeviceState& device = session_.current_device();
    if (device.axis != place.axis) session_.timeline.forget_outlines();
    device.axis = place.axis;
    device.view = place.view;
    last_ = current();
    moved_at_s_ = -1e9;
}

void ViewHistory::forget() {
    before_.clear();
    after_.clear();
    last_.reset();
}

namespace {

bool has_times(const Session& session) { return shows_timeline(session) && session.current_timeline()->has_times(); }

std::string time_axis_doc(const Session& session) {
    const Timeline* timeline = session.current_timeline();
    if (timeline == nullptr) return {};
    return timeline->has_times() ? "The time of each event along the bottom, instead of steps" : why_no_times(*timeline);
}

std::string clock_doc(const Session& session) {
    return has_times(session) ? "The hour and minute of an event, instead of the time since the first one"
                              : time_axis_doc(session);
}

bool has_any_tracks(const Session& session) {
    return has_picture(session) && (has_tracks(session.current_overlays()) || !session.timeline.query_tracks.empty());
}

}  // namespace

void Navigation::connect_movement(Commands& commands) {
    commands.on(CommandId::view_fit, {.is_possible = has_any_picture, .run = [this] { fit(session_); }});
    commands.on(CommandId::view_zoom, {.is_possible = has_selected_part, .run = [this] { zoom_to_selection(session_); }});
    commands.on(CommandId::view_nearer,
                {.is_possible = has_any_picture, .run = [this] { zoom_about_middle(session_, k_zoom_per_notch); }});
    commands.on(CommandId::view_farther,
                {.is_possible = has_any_picture, .run = [this] { zoom_about_middle(session_, 1 / k_zoom_per_notch); }});
    commands.on(
        CommandId::view_next_picture,
        {.is_possible = [](const Session& session) { return session.document && !session.icicle.views.empty(); },
         .run = [this] { show_picture(session_, reports::next_picture(session_.icicle, !session_.devices.empty())); }});
}

void Navigation::connect_axes(Commands& commands) {
    commands.on(
        CommandId::view_time,
        {.is_possible = has_times,
         .is_on = [](const Session& session) { return has_picture(session) && session.current_device().axis == Axis::time; },
         .doc = time_axis_doc,
         .run = [this] { toggle_axis(session_); }});
    commands.on(CommandId::view_clock, {.is_possible = has_times,
                                        .is_on = [](const Session& session) { return session.preferences.clock_times; },
                                        .doc = clock_doc,
                                        .run = [this] { toggle_clock(session_); }});
    commands.on(CommandId::view_tracks,
                {.is_possible = has_any_tracks,
                 .is_on = [](const Session& session) { return session.preferences.tracks.show; },
                 .run = [this] { session_.preferences.tracks.show = !session_.preferences.tracks.show; }});
    commands.on(CommandId::view_minimap,
                {.is_possible = has_picture,
                 .is_on = [](const Session& session) { return session.preferences.show_minimap; },
                 .run = [this] { session_.preferences.show_minimap = !session_.preferences.show_minimap; }});
}

void Navigation::connect(Switchboard& board) {
    connect_movement(board.commands);
    connect_axes(board.commands);
    board.docked.push_back({.dock = Dock::page,
                            .is_there = [](const Session&) { return false; },
                            .is_alone = [](const Session& session) { return session.shown_icicle() != nullptr; },
                            .hide = [this] { session_.icicle.shown.reset(); },
                            .draw =
                                [this](const Area& /*area*/, Requests& requests) {
                                    reports::draw_icicle_details(*session_.shown_icicle(),
                                                                 session_.shown_icicle_view().selected, requests);
                                }});
    board.handlers.on<ShowPicture>([this](const ShowPicture& asked) { show_picture(session_, asked.picture); });
    board.handlers.on<ShowOverlay>([this](const ShowOverlay& asked) { show_overlay(session_, asked.id, asked.is_shown); });
    board.handlers.on<ShowPart>([this](const ShowPart& asked) { show_part(session_, asked.view); });
}

void Navigation::adopt() {
    if (session_.document)
        session_.icicle = reports::make_icicle_state(session_.document->icicles, !session_.devices.empty());
}

void Navigation::leave() {
    session_.timeline.forget_overlays();
    session_.icicle = reports::IcicleState{};
}

void ViewHistory::connect(Switchboard& board) {
    board.commands.on(CommandId::view_back,
                      // with an icicle on the screen, going back clears its selection or leaves it
                      {.is_possible = [this](const Session& session) { return session.shown_icicle() || !before_.empty(); },
                       .run = [this, &board] { go_back(board.requests); }});
    board.commands.on(CommandId::view_forward,
                      {.is_possible = [this](const Session& session) { return shows_timeline(session) && !after_.empty(); },
                       .run = [this] { go(false); }});
}

bool ViewHistory::dismiss(Requests& requests) {
    if (session_.shown_icicle() == nullptr) return false;
    go_back(requests);
    return true;
}

/// In an icicle, goes back in this order: undoes the zoom, clears the selection, leaves the icicle.
void ViewHistory::go_back(Requests& requests) {
    const stacks::Icicle* icicle = session_.shown_icicle();
    if (icicle == nullptr) return go(true);
    if (reports::zoom_icicle_out(session_.shown_icicle_view(), *icicle)) return;
    const bool is_selected = session_.shown_icicle_view().selected.has_value();
    requests.ask(RunCommand{is_selected ? CommandId::selection_clear : CommandId::callers_leave});
}

}  // namespace snapviewer::navigation
