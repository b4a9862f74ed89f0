#pragma once

#include <string>
#include <vector>

#include "app/features/timeline/projection.h"
#include "app/features/timeline/state.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Works out what lies between both ends, if that changed.
void measure(RulerState& ruler, const Timeline& timeline, Axis axis);

/// What it says, a line each: the stretch, the height, what was allocated and freed, the largest stacks.
std::vector<std::string> ruler_lines(const RulerState& ruler, const Timeline& timeline);

/// The stretch and what it says, over the picture.
void draw_ruler(const RulerState& ruler, const Timeline& timeline, const Projection& canvas);

}  // namespace snapviewer
