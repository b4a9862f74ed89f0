#pragma once

namespace snapviewer {

/// A column of a DataTable.
struct TableColumn {
    const char* title;
    const char* name = "";  ///< name in the report for tests
    float width_px = 0;     ///< width at scale 1; 0 fills the remaining width
    const char* doc = "";   ///< tooltip of its header
    bool is_bare = false;   ///< no header; the column cannot be sorted, resized or hidden
    /// The first click on the header sorts in descending order.
    bool largest_first = false;
    bool is_hidden = false;  ///< hidden until the user shows it
    bool has_no_room = false;
    bool is_sorted_first = false;  ///< the initial sort column
};

}  // namespace snapviewer
