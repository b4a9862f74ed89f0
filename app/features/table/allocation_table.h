#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "app/features/requests.h"
#include "app/features/table/allocation_rows.h"

namespace snapviewer {

/// The table of all allocations of the picture between two frames.
struct AllocationTableState {
    RowArrangement wanted;                         ///< what the user asks for, but for `among`
    bool only_hits = false;                        ///< of a search, while there is one
    std::shared_ptr<const AllocationRows> rows;    ///< on the screen; null until they are there
    std::shared_ptr<const ArrangedRows> arranged;  ///< of `rows`
    RowArrangement shown;                          ///< of `arranged`
    bool has_new_rows = false;                     ///< `arranged` is another one than in the frame before
    bool is_arranging = false;
    ChosenColumns columns = {};               ///< on the screen
    std::optional<std::size_t> other_column;  ///< to be shown or hidden in the next frame
    AllocationId selected;                    ///< in the frame before
    std::optional<std::size_t> row;           ///< of the selected one, if it is in the table
    bool scroll_to_row = false;
    bool is_focused = false;
    std::string save_path;
};

struct AllocationTableScene {
    AllocationId selected;
    bool has_hits = false;  ///< a search found something
    std::string file;       ///< the open one, to name the saved one after
};

/// A window over the panels, drawn while it is open. A click on a row asks for its allocation to be selected and shown.
/// Cost per frame: the rows on the screen, however many there are; when the selection changes, a look at all.
void draw_allocation_table(AllocationTableState& state, bool& is_open, const AllocationTableScene& scene,
                           Requests& requests);

}  // namespace snapviewer
