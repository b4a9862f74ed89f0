#pragma once

#include <imgui.h>

#include <cstdint>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// The strip that shows the whole recording, between two frames.
struct MinimapState {
    enum class Grip : std::uint8_t { none, window, left, right };
    const Timeline* timeline = nullptr;  ///< that `totals` are of
    Axis axis = Axis::steps;
    std::vector<std::uint64_t> totals;  ///< the largest in equal parts of it
    Grip grip = Grip::none;             ///< what of the window the mouse holds
    double held_at = 0;                 ///< from the window's left edge, steps or microseconds

    bool is_dragging() const { return grip != Grip::none; }
    /// Before the timeline goes.
    void forget() { *this = MinimapState{}; }
};

/// Height of the strip with the gap below it; 0 where the panel is too low for one.
float minimap_height(float panel_height);

/// Draws the totals of the whole recording from `pos` on, and in it the stretch in view as a window: its edges and itself
/// can be dragged, a click beside it brings that place into its middle, a double click shows all. Changes `view`.
void draw_minimap(MinimapState& state, const Timeline& timeline, Axis axis, const ViewLimits& limits, View& view, ImVec2 pos,
                  ImVec2 size);

}  // namespace snapviewer
