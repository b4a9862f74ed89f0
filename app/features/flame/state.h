#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/analysis/stacks/icicle.h"
#include "core/timeline/totals.h"

namespace snapviewer {

/// State of the flame graph that persists between frames.
struct FlameState {
    bool is_open = false;
    /// Options of the flame graph to draw. Its moment is ignored, because the moment of the Live page is used.
    stacks::FlameMoment wanted{.paths = {.frames = stacks::TreeFrames::python}};
    stacks::FlameSelection of_range = stacks::FlameSelection::allocated;  ///< what to draw while the ruler measures a range
    std::optional<TickRange> range;                                       ///< range that the ruler measures, if any
    stacks::FlameMoment shown;                                            ///< moment and options of `graph`
    std::shared_ptr<const stacks::Icicle> graph;                          ///< the flame graph; null until it is built
    std::string save_path;                                                ///< text of the path field for saving
    int option_lines = 1;  ///< number of lines that the options took in the last frame
};

}  // namespace snapviewer
