#pragma once

#include <string>

#include "app/features/requests.h"
#include "app/features/table/state.h"

namespace snapviewer {

struct AllocationTableScene {
    AllocationId selected;
    bool has_hits = false;  ///< a search found something
    std::string file;       ///< the open one, to name the saved one after
};

/// A window over the panels, drawn while it is open. A click on a row asks for its allocation to be selected and shown.
/// Cost per frame: the rows on the screen, however many there are; when the selection changes, a look at all.
void draw_allocation_table(AllocationTableState& state, const AllocationTableScene& scene, Requests& requests);

}  // namespace snapviewer
