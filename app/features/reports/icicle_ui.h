#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "app/features/reports/icicle.h"
#include "app/features/requests.h"

namespace snapviewer {

/// Input of draw_icicle_picture().
struct IcicleScene {
    const stacks::Icicle& icicle;
    IcicleWindow window;
    std::optional<std::uint32_t> selected;
    std::optional<IcicleBar> hovered;
};

/// Area of the bars of an icicle on the screen, and the height of a row.
struct IcicleCanvas {
    ImVec2 min, max;
    float row_px = 1;
};
/// Draws bars and axis into an area of the current window, without mouse or keyboard input. Returns where the bars are.
IcicleCanvas draw_icicle_picture(const IcicleScene& scene, ImVec2 pos, ImVec2 size);

/// Fills the rest of the current window with an icicle and handles the mouse: drag, wheel, hover, click, double click.
void draw_icicle_view(IcicleViewState& state, const stacks::Icicle& icicle, Requests& requests);

/// Label and tooltip of the tab of the timeline.
struct TimelineTab {
    const char* name;
    const char* doc;
};

/// Draws the tabs that switch between the timeline, if there is one, and the icicles. Draws nothing if there is only one
/// picture.
void draw_picture_tabs(const IcicleState& state, const std::vector<const stacks::Icicle*>& icicles,
                       const std::optional<TimelineTab>& timeline, Requests& requests);

}  // namespace snapviewer
