#pragma once

#include <string>

#include "app/features/details/source_task.h"
#include "app/features/details/state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// A line that is marked by a click and copied by a right click, as the next ImGui item; whoever draws it puts its text over
/// it. `place`, if there is one, is opened in the editor by a double click.
void draw_markable_line(std::string& marked, const std::string& text, float height, const SourcePlace* place,
                        Requests& requests);

/// Own lines with their sources, folded runs and repeats that a click opens. Frames are reported as "frame_N", runs as
/// "folded_N", repeats as "repeat_N", each with the number of its first frame.
void draw_stack_view(StackViewState& state, std::string& marked, Requests& requests);

}  // namespace snapviewer
