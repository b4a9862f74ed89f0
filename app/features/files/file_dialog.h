#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/features/files/folder_listing.h"
#include "app/features/preferences.h"

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

/// Shows the dialog from the next draw on, at the folder used last.
void open_file_dialog(FileDialogState& state, const Preferences& settings);

/// To be called every frame. Returns the absolute path of the file or trace folder once it is chosen. Cost per frame: the
/// rows on the screen.
std::optional<std::string> draw_file_dialog(FileDialogState& state, Preferences& settings);

}  // namespace snapviewer
