#include "app/features/conditions.h"
#include "app/features/navigation/navigation.h"
#include "app/features/reports/icicle_zoom.h"
#include "app/features/timeline/timeline_axis.h"

namespace snapviewer {
namespace {

bool has_times(const AppState& state) { return shows_timeline(state) && state.current_timeline()->has_times(); }

std::string time_axis_doc(const AppState& state) {
    const Timeline* timeline = state.current_timeline();
    if (timeline == nullptr) return {};
    return timeline->has_times() ? "The time of each event along the bottom, instead of steps" : why_no_times(*timeline);
}

std::string clock_doc(const AppState& state) {
    return has_times(state) ? "The hour and minute of an event, instead of the time since the first one"
                            : time_axis_doc(state);
}

bool has_any_tracks(const AppState& state) {
    return has_picture(state) && (has_tracks(state.current_overlays()) || !state.query_tracks.empty());
}

}  // namespace

void Navigation::connect_movement(Commands& commands) {
    commands.add({.id = "view_fit",
                  .menu = Menu::view,
                  .place = 100,
                  .words = "Zoom to fit",
                  .synonyms = "reset home whole picture",
                  .keys = "F, Home",
                  .is_possible = has_any_picture,
                  .run = [this] { fit(state_); }});
    commands.add({.id = "view_zoom",
                  .menu = Menu::view,
                  .place = 110,
                  .words = "Zoom to selection",
                  .keys = "Z",
                  .is_possible = has_selected_part,
                  .run = [this] { zoom_to_selection(state_); }});
    commands.add({.id = "view_nearer",
                  .menu = Menu::view,
                  .place = 120,
                  .words = "Zoom in",
                  .synonyms = "nearer magnify",
                  .keys = "+",
                  .is_possible = has_any_picture,
                  .run = [this] { zoom_about_middle(state_, k_zoom_per_notch); }});
    commands.add({.id = "view_farther",
                  .menu = Menu::view,
                  .place = 130,
                  .words = "Zoom out",
                  .synonyms = "farther",
                  .keys = "-",
                  .is_possible = has_any_picture,
                  .run = [this] { zoom_about_middle(state_, 1 / k_zoom_per_notch); }});
    commands.add({.id = "view_next_picture",
                  .menu = Menu::picture,
                  .place = 320,
                  .words = "Next picture in the report",
                  .keys = "I",
                  .is_possible = [](const AppState& state) { return state.document && !state.icicle.views.empty(); },
                  .run = [this] { show_picture(state_, next_picture(state_.icicle, !state_.devices.empty())); }});
}

void Navigation::connect_axes(Commands& commands) {
    commands.add(
        {.id = "view_time",
         .menu = Menu::view,
         .place = 300,
         .words = "Time axis",
         .synonyms = "seconds",
         .keys = "T",
         .is_possible = has_times,
         .is_on = [](const AppState& state) { return has_picture(state) && state.current_device().axis == Axis::time; },
         .doc = time_axis_doc,
         .run = [this] { toggle_axis(state_); }});
    commands.add({.id = "view_clock",
                  .menu = Menu::view,
                  .place = 310,
                  .words = "Time of day",
                  .synonyms = "clock",
                  .keys = "Shift+T",
                  .is_possible = has_times,
                  .is_on = [](const AppState& state) { return state.preferences.clock_times; },
                  .doc = clock_doc,
                  .run = [this] { toggle_clock(state_); }});
    commands.add({.id = "view_tracks",
                  .menu = Menu::picture,
                  .place = 130,
                  .words = "Tracks below the picture",
                  .synonyms = "lanes",
                  .is_possible = has_any_tracks,
                  .is_on = [](const AppState& state) { return state.preferences.tracks.show; },
                  .run = [this] { state_.preferences.tracks.show = !state_.preferences.tracks.show; }});
    commands.add({.id = "view_minimap",
                  .menu = Menu::picture,
                  .place = 140,
                  .words = "Overview above the picture",
                  .synonyms = "minimap",
                  .keys = "O",
                  .is_possible = has_picture,
                  .is_on = [](const AppState& state) { return state.preferences.show_minimap; },
                  .run = [this] { state_.preferences.show_minimap = !state_.preferences.show_minimap; }});
}

void Navigation::connect(Switchboard& board) {
    connect_movement(board.commands);
    connect_axes(board.commands);
    board.handlers.on<ShowPicture>([this](const ShowPicture& asked) { show_picture(state_, asked.picture); });
    board.handlers.on<ShowOverlay>([this](const ShowOverlay& asked) { show_overlay(state_, asked.id, asked.is_shown); });
    board.handlers.on<ShowPart>([this](const ShowPart& asked) { show_part(state_, asked.view); });
}

void Navigation::adopt() {
    if (state_.document) state_.icicle = make_icicle_state(state_.document->icicles, !state_.devices.empty());
}

void Navigation::leave() {
    state_.timeline.forget_overlays();
    state_.icicle = IcicleState{};
}

}  // namespace snapviewer
