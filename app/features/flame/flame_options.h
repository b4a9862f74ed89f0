#pragma once

#include <string>

#include "app/features/flame/state.h"
#include "app/features/requests.h"

namespace snapviewer {

struct FlameOptionsScene {
    std::string moment;              ///< what is drawn, in words
    std::string file;                ///< that is open
    bool has_selected_call = false;  ///< of whose function one may ask who calls it
};

/// A row above the flame graph: which moment, which end of the stacks is on top, which frames count, of which function, if
/// of one, it is. Changes what is wanted.
void draw_flame_options(FlameState& state, const FlameOptionsScene& scene, Requests& requests);

}  // namespace snapviewer
