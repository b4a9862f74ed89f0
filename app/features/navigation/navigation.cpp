#include "app/features/navigation/navigation.h"

#include <numeric>

#include "app/features/reports/icicle_zoom.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/timeline_axis.h"

namespace snapviewer {
namespace {

void switch_axis(AppState& state) {
    const Timeline* timeline = state.current_timeline();
    if (timeline == nullptr) return;
    if (!timeline->has_times()) {
        state.notice = why_no_times(*timeline);
        return;
    }
    DeviceState& device = state.current_device();
    const Axis other = device.axis == Axis::steps ? Axis::time : Axis::steps;
    device.view = change_axis(*timeline, device.view, device.axis, other);
    device.axis = other;
    state.timeline.forget_outlines();
}

}  // namespace

void fit(AppState& state) {
    if (const Icicle* icicle = state.shown_icicle()) {
        IcicleViewState& view = state.shown_icicle_view();
        view.zoomed_from.clear();
        view.window = whole_icicle(*icicle);
        view.shows_root = true;
    } else if (state.current_timeline() != nullptr) {
        state.current_device().view = fit_view(state.current_limits());
    }
}

void zoom_to_selection(AppState& state) {
    if (const Icicle* icicle = state.shown_icicle()) {
        zoom_icicle_to_selection(state.shown_icicle_view(), *icicle);
        return;
    }
    if (!state.selected().is_some()) return;
    DeviceState& device = state.current_device();
    const Outline outline = make_outline(*state.current_timeline(), device.axis, device.selected);
    device.view = frame_view(bounds(outline), state.current_limits());
}

void show_part(AppState& state, const View& view) {
    if (state.current_timeline() != nullptr) state.current_device().view = allowed_view(view, state.current_limits());
}

void zoom_about_middle(AppState& state, double factor) {
    if (const Icicle* icicle = state.shown_icicle()) {
        zoom_icicle_about_middle(state.shown_icicle_view(), *icicle, factor);
    } else if (state.current_timeline() != nullptr) {
        View& view = state.current_device().view;
        view = zoom_view(view, std::midpoint(view.x_begin, view.x_end), std::midpoint(view.y_begin, view.y_end), factor,
                         factor, state.current_limits());
    }
}

void pan(AppState& state, double views_x, double views_y) {
    if (const Icicle* icicle = state.shown_icicle()) {
        IcicleViewState& view = state.shown_icicle_view();
        const double rows = -views_y * view.rows_on_screen();
        view.window = pan_icicle(*icicle, view.window, views_x * view.window.width(), rows, view.rows_on_screen());
    } else if (state.current_timeline() != nullptr) {
        View& view = state.current_device().view;
        view = pan_view(view, views_x * view.width(), views_y * view.height(), state.current_limits());
    }
}

void toggle_axis(AppState& state) {
    if (state.shown_icicle() == nullptr) switch_axis(state);
}

void toggle_clock(AppState& state) {
    state.preferences.clock_times = !state.preferences.clock_times;
    if (state.preferences.clock_times && state.current_timeline() && state.current_device().axis == Axis::steps)
        switch_axis(state);
}

void show_overlay(AppState& state, const std::string& id, bool is_shown) {
    if (state.current_timeline() == nullptr) return;
    const View fitted = fit_view(state.current_limits());
    state.preferences.overlays[id] = is_shown;
    // If the whole picture was in view, keeps it in view, because the overlay has changed the limits.
    DeviceState& device = state.current_device();
    if (device.view == fitted) device.view = fit_view(state.current_limits());
}

void show_picture(AppState& state, std::size_t picture) {
    if (!state.document || picture > state.icicle.views.size()) return;
    if (picture > 0) {
        state.icicle.shown = picture - 1;
    } else if (state.current_timeline() != nullptr) {
        state.icicle.shown.reset();
    }
}

}  // namespace snapviewer
