#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/files/folder_listing.h"
#include "app/features/files/growing_picture.h"
#include "app/features/timeline/projection.h"
#include "core/base/result.h"

namespace snapviewer {

/// The dialog in which a file is chosen. One field takes a path; what is typed after the last slash narrows the table under
/// it, so that typing, the arrow keys and the mouse all lead to the same place. The field keeps the keyboard.
struct FileDialogState {
    bool open_requested = false;
    std::string title = "Open a snapshot";
    std::string path_text;                   ///< what the field shows
    std::string parsed_text;                 ///< the path_text that `folder` and `filter.prefix` were made from
    std::optional<std::string> forced_text;  ///< to replace what is being edited in the field
    bool focus_path = false;

    std::vector<std::string> elsewhere;  ///< folders on other machines that files were fetched from
    bool is_elsewhere = false;           ///< what the field names is on another machine: nothing is listed

    std::string folder;                ///< listed
    bool takes_folders = false;        ///< any folder can be chosen
    bool is_trace_folder = false;      ///< what is listed can be opened as a whole
    std::string folder_error;          ///< why it could not be; empty if it could
    std::vector<FolderEntry> entries;  ///< sorted
    FolderFilter filter;
    FolderSort sort = FolderSort::name;
    bool sort_descending = false;
    std::vector<std::uint32_t> visible;  ///< entries that pass the filter
    int cursor = -1;                     ///< row of `visible` that Enter opens; -1 = what the field says
    int page_rows = 10;
    bool scroll_to_cursor = false;
    std::string note;  ///< why the choice could not be taken
};

/// The picture of a file that is still being read, between two frames.
struct GrowingPictureState {
    std::shared_ptr<const GrowingPicture> shown;  ///< null before there is one
    float fraction = 0;                           ///< of the file, that it shows; 0 where nobody knows
    View view;
    bool is_moved = false;  ///< by the user: it no longer shows all there is
    bool is_dragging = false;
    View pressed_view;      ///< when the button went down
    Projection projection;  ///< where it was drawn last
};

/// What was odd about the file, which a banner tells until it is sent away and a window lists.
struct ImportLogState {
    bool is_open = false;
    bool is_dismissed = false;  ///< the banner is
};

/// A file that could not be opened, and why.
struct FailedFile {
    std::string path;
    Error error;
};

}  // namespace snapviewer
