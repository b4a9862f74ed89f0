#pragma once

namespace snapviewer {

/// A column of a DataTable, as the feature that has the table lists them.
struct TableColumn {
    const char* title;
    const char* name = "";  ///< in the report for tests
    float width_px = 0;     ///< at scale 1; 0: what is left
    const char* doc = "";   ///< tooltip of its header
    bool is_bare = false;   ///< without a header; it cannot be sorted, sized or hidden
    /// The largest first, when it is clicked for the first time.
    bool largest_first = false;
    bool is_hidden = false;  ///< until the user wants it
    bool has_no_room = false;
    bool is_sorted_first = false;  ///< as long as the user wants nothing else
};

}  // namespace snapviewer
