#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "app/features/table/allocation_rows.h"

namespace snapviewer {

/// State of the table of all allocations of the current picture.
struct AllocationTableState {
    bool is_open = false;
    RowArrangement wanted;                         ///< filters and order that the user asked for, without `among`
    bool only_hits = false;                        ///< restrict the rows to the results of the current search
    std::shared_ptr<const AllocationRows> rows;    ///< cells of the table on the screen; null until they are ready
    std::shared_ptr<const ArrangedRows> arranged;  ///< the filtered and sorted rows
    RowArrangement shown;                          ///< filters and order of `arranged`
    bool has_new_rows = false;                     ///< `arranged` was replaced since the last frame
    bool is_arranging = false;
    ChosenColumns columns = {};               ///< visible columns
    std::optional<std::size_t> other_column;  ///< column whose visibility is toggled in the next frame
    AllocationId selected;                    ///< allocation selected in the previous frame
    std::optional<std::size_t> row;           ///< row index of the selected allocation, if the table contains it
    bool scroll_to_row = false;
    bool is_focused = false;
    std::string save_path;
};

}  // namespace snapviewer
