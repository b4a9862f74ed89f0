#pragma once

#include <string>
#include <vector>

#include "app/features/timeline/state.h"
#include "app/features/timeline/timeline_axis.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Computes the totals between both ends of the ruler, if an end has moved to another tick.
void measure(RulerState& ruler, const Timeline& timeline, Axis axis);

/// Returns the lines of the ruler's text: the range, its height, the bytes allocated and freed, the largest stacks.
std::vector<std::string> ruler_lines(const RulerState& ruler, const Timeline& timeline);

/// Draws the ruler and its text over the picture.
void draw_ruler(const RulerState& ruler, const Timeline& timeline, const Projection& canvas);

}  // namespace snapviewer
