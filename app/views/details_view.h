#pragma once

#include <string>
#include <vector>

#include "app/allocation_text.h"
#include "app/commands.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The details panel between two frames: the texts of the selection, made once.
struct DetailsState {
    const Timeline* timeline = nullptr;  ///< only compared, never read
    AllocationId id;
    std::vector<Fact> facts;
    std::vector<StackLine> stack;
    std::string marked;  ///< the line clicked last; what Ctrl+C copies if there is one
};

/// Fills the rest of the current window with everything known of an allocation, or with a hint when none is selected.
void draw_details_view(DetailsState& state, const Timeline* timeline, AllocationId selected, Requests& requests);

/// What Ctrl+C copies: the marked line, otherwise everything.
std::string details_clipboard(const DetailsState& state);

}  // namespace snapviewer
