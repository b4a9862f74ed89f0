#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "app/features/details/folded_stack.h"
#include "app/features/details/source_task.h"
#include "app/features/requests.h"
#include "app/features/timeline/allocation_text.h"

namespace snapviewer {

/// A stack between two frames.
struct StackViewState {
    std::vector<StackLine> lines;  ///< innermost call first
    StackRole role;
    bool is_arranged = false;  ///< whether all below is of `lines` and of the rules in use
    FoldedStack folded;
    std::vector<SourcePlace> places;       ///< by line, where it is on this machine
    std::vector<std::string> sources;      ///< by line; empty where there is none to be shown
    std::set<std::size_t> opened_runs;     ///< by their first frame
    std::set<std::size_t> opened_repeats;  ///< by their first item
};

/// A line that is marked by a click and copied by a right click, as the next ImGui item; whoever draws it puts its text over
/// it. `place`, if there is one, is opened in the editor by a double click.
void draw_markable_line(std::string& marked, const std::string& text, float height, const SourcePlace* place,
                        Requests& requests);

/// Own lines with their sources, folded runs and repeats that a click opens. Frames are reported as "frame_N", runs as
/// "folded_N", repeats as "repeat_N", each with the number of its first frame.
void draw_stack_view(StackViewState& state, std::string& marked, Requests& requests);

}  // namespace snapviewer
