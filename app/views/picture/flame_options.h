#pragma once

#include <memory>
#include <string>

#include "core/analysis/flame_graph.h"

namespace snapviewer {

/// The flame graph between two frames.
struct FlameState {
    bool is_open = false;
    FlameMoment wanted{.frames = TreeFrames::python};  ///< but for the moment, which is Live's
    FlameMoment shown;                                 ///< of `graph`
    std::shared_ptr<const Icicle> graph;               ///< null until it is made
};

/// A row above the flame graph: which moment, which end of the stacks is on top, which frames count. Changes what is wanted.
void draw_flame_options(FlameState& state, const std::string& moment);

}  // namespace snapviewer
