#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "app/features/table/allocation_rows.h"

namespace snapviewer {

/// The table of all allocations of the picture between two frames.
struct AllocationTableState {
    bool is_open = false;
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

}  // namespace snapviewer
