#pragma once

#include <cstddef>
#include <string>

#include "app/features/app_state.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Which part of which picture is in view, and along which axis: what keys and menus ask for, of the timeline or of the
/// icicle, whichever is on the screen. Nothing is done where there is neither.
void fit(AppState& state);
void zoom_to_selection(AppState& state);
/// A part of the timeline, as far as one may come near.
void show_part(AppState& state, const View& view);
void zoom_about_middle(AppState& state, double factor);
/// By parts of what is in view; upwards is positive.
void pan(AppState& state, double views_x, double views_y);

/// The timeline alone.
void toggle_axis(AppState& state);
void toggle_clock(AppState& state);
void show_overlay(AppState& state, const std::string& id, bool is_shown);

/// 0 is the timeline, i + 1 the document's i-th icicle.
void show_picture(AppState& state, std::size_t picture);

/// What can be asked for of all that.
class Navigation : public Feature {
public:
    /// `state` outlives this.
    explicit Navigation(AppState& state) : state_(state) {}

    void connect(Switchboard& board) override;
    void leave() override;
    void adopt() override;
    void describe(nlohmann::json& report) const override;

private:
    void connect_movement(Commands& commands);
    void connect_axes(Commands& commands);

    AppState& state_;
};

}  // namespace snapviewer
