#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/analysis/flame_graph.h"
#include "core/timeline/moment_changes.h"

namespace snapviewer {

/// The flame graph between two frames.
struct FlameState {
    bool is_open = false;
    FlameMoment wanted{.paths = {.frames = TreeFrames::python}};  ///< but for the moment, which is Live's
    FlameOf of_range = FlameOf::made;                             ///< wanted while the ruler measures a range
    std::optional<TickRange> range;                               ///< that the ruler measures
    FlameMoment shown;                                            ///< of `graph`
    std::shared_ptr<const Icicle> graph;                          ///< null until it is made
    std::string save_path;                                        ///< in the field
    int option_lines = 1;                                         ///< that the row above it took last
};

}  // namespace snapviewer
