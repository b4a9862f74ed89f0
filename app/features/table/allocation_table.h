#pragma once

#include <string>

#include "app/features/requests.h"
#include "app/features/table/state.h"

namespace snapviewer {

struct AllocationTableScene {
    AllocationId selected;
    bool has_hits = false;  ///< the current search has results
    std::string file;       ///< path of the open file; the default name of the CSV file derives from it
};

/// Draws a window over the panels while it is open. A click on a row asks to select its allocation and to bring it into
/// view. Cost per frame: the visible rows, independent of the number of rows; O(all rows) when the selection has changed.
void draw_allocation_table(AllocationTableState& state, const AllocationTableScene& scene, Requests& requests);

}  // namespace snapviewer
