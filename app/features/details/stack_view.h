#pragma once

#include <string>

#include "app/features/details/source_task.h"
#include "app/features/details/state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// Adds an empty ImGui item for a line of text: a click marks it, a right click copies it, and a double click opens `place`
/// in the editor unless that is null. The caller draws the text over the item.
void draw_markable_line(std::string& marked, const std::string& text, float height, const SourcePlace* place,
                        Requests& requests);

/// Draws a stack: frames of the user's program with their source lines, and folded runs and repeats that open on a click.
/// Reports their rectangles to tests as "frame_N", "folded_N" and "repeat_N", where N is the number of the first frame.
void draw_stack_view(StackViewState& state, std::string& marked, Requests& requests);

}  // namespace snapviewer
