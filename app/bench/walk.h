#pragma once

#include <string>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// A part of the walk: consecutive views that differ only a little.
struct WalkStop {
    std::string name;
    std::vector<View> views;
};

/// Plans the walk of `snapviewer bench` through a picture: the whole picture; 12 stops that zoom in around the peak, down to
/// single steps (or microseconds); panning at three zoom levels; zooming out; and zooming towards the peak on a single axis.
std::vector<WalkStop> benchmark_walk(const Timeline& timeline, Axis axis);

}  // namespace snapviewer
