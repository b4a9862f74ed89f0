#pragma once

#include <string>

#include "app/features/flame/state.h"
#include "app/features/requests.h"

namespace snapviewer {

struct FlameOptionsScene {
    std::string moment;              ///< text about the moment or range that is drawn
    std::string file;                ///< path of the open file
    bool has_selected_call = false;  ///< true if a bar is selected whose callers can be shown
};

/// Draws the options above the flame graph: the moment, which end of the stacks is on top, which frames are included, and
/// the function if the graph is restricted to one. Changes `state.wanted`.
void draw_flame_options(FlameState& state, const FlameOptionsScene& scene, Requests& requests);

}  // namespace snapviewer
