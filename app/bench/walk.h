#pragma once

#include <string>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// A part of the walk: views one after the other, each a little different from the one before.
struct WalkStop {
    std::string name;
    std::vector<View> views;
};

/// The walk through a picture that `snapviewer bench` takes: all of it; in 12 stops down to single steps (or microseconds)
/// about the peak; across, at three distances; out again; and towards the peak on one axis alone.
std::vector<WalkStop> benchmark_walk(const Timeline& timeline, Axis axis);

}  // namespace snapviewer
