#pragma once

#include <cstddef>
#include <string>

#include "app/features/app_state.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Movement of the view and its axis, for keys and menus. These functions act on the picture on the screen, a timeline or
/// an icicle, and do nothing if there is neither.
void fit(AppState& state);
void zoom_to_selection(AppState& state);
/// Shows a part of the timeline, clamped to the maximum zoom.
void show_part(AppState& state, const View& view);
void zoom_about_middle(AppState& state, double factor);
/// Moves by fractions of the visible part; positive `views_y` moves upwards.
void pan(AppState& state, double views_x, double views_y);

/// Switches the axis of the timeline between steps and time; no-op with an icicle on the screen.
void toggle_axis(AppState& state);
void toggle_clock(AppState& state);
void show_overlay(AppState& state, const std::string& id, bool is_shown);

/// Shows a picture: 0 is the timeline, i + 1 the document's i-th icicle.
void show_picture(AppState& state, std::size_t picture);

/// The commands and requests that move the view.
class Navigation : public Feature {
public:
    /// Keeps a reference; `state` must outlive this object.
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
