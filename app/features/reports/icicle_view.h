#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "app/features/reports/icicle_bars.h"
#include "app/features/reports/state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// What there is to draw of an icicle.
struct IcicleScene {
    const Icicle& icicle;
    IcicleWindow window;
    std::optional<std::uint32_t> selected;
    std::optional<IcicleBar> hovered;
};

/// Draws bars and axis into an area of the current window and nothing else: no mouse, no keys. Gives where the bars are.
struct IcicleCanvas {
    ImVec2 min, max;
    float row_px = 1;
};
IcicleCanvas draw_icicle_picture(const IcicleScene& scene, ImVec2 pos, ImVec2 size);

/// Fills the rest of the current window with an icicle and follows the mouse: drag, wheel, hover, click, double click.
void draw_icicle_view(IcicleViewState& state, const Icicle& icicle, Requests& requests);

/// What the tab of the timeline says.
struct TimelineTab {
    const char* name;
    const char* doc;
};

/// Draws the row of tabs that switches between the timeline, if there is one, and the icicles; nothing where there is
/// nothing to switch.
void draw_picture_tabs(const IcicleState& state, const std::vector<const Icicle*>& icicles,
                       const std::optional<TimelineTab>& timeline, Requests& requests);

}  // namespace snapviewer
