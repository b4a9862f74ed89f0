#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/features/timeline/projection.h"
#include "core/timeline/range_totals.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// A stretch of the picture that was measured with Ctrl and the mouse, between two frames.
struct RulerState {
    bool is_shown = false;
    bool is_measuring = false;                    ///< the mouse button is still down
    double x_from = 0, x_to = 0;                  ///< steps or microseconds, where the drag began and where it went
    double y_from = 0, y_to = 0;                  ///< bytes
    std::uint32_t first_tick = 0, last_tick = 0;  ///< that `totals` speak of
    bool has_totals = false;
    RangeTotals totals;
};

/// Works out what lies between both ends, if that changed.
void measure(RulerState& ruler, const Timeline& timeline, Axis axis);

/// What it says, a line each: the stretch, the height, what was allocated and freed, the largest stacks.
std::vector<std::string> ruler_lines(const RulerState& ruler, const Timeline& timeline);

/// The stretch and what it says, over the picture.
void draw_ruler(const RulerState& ruler, const Timeline& timeline, const Projection& canvas);

}  // namespace snapviewer
