#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/files/files_on_disk.h"
#include "core/base/result.h"

namespace snapviewer {

/// State of the file dialog. It has one text field for a path, and a table of files. Text after the last slash filters the
/// table, so that typing, the arrow keys and the mouse can be mixed. The text field keeps the keyboard focus.
struct FileDialogState {
    bool open_requested = false;
    std::string title = "Open a snapshot";
    std::string path_text;                   ///< text in the path field
    std::string parsed_text;                 ///< value of path_text from which `folder` and `filter.prefix` were computed
    std::optional<std::string> forced_text;  ///< new text for the path field, which ImGui is editing; nullopt for no change
    bool focus_path = false;

    std::vector<std::string> elsewhere;  ///< folders on other machines from which files were fetched
    bool is_elsewhere = false;  ///< true if the path in the field is on another machine, so that no files are listed

    std::string folder;                ///< folder whose entries are listed
    bool takes_folders = false;        ///< true if any folder can be chosen
    bool is_trace_folder = false;      ///< true if the listed folder can be opened as a whole
    std::string folder_error;          ///< the reason why the folder could not be listed; empty if it could
    std::vector<FolderEntry> entries;  ///< sorted entries of the folder
    FolderFilter filter;
    FolderSort sort = FolderSort::name;
    bool sort_descending = false;
    std::vector<std::uint32_t> visible;  ///< indices of the entries that pass the filter
    int cursor = -1;                     ///< row of `visible` that Enter opens; -1 if Enter opens the path in the field
    int page_rows = 10;
    bool scroll_to_cursor = false;
    std::string note;  ///< the reason why the choice was rejected; empty if it was not
};

/// State of the import log: a banner that the user can dismiss, and a window that lists the problems of the file.
struct ImportLogState {
    bool is_open = false;
    bool is_dismissed = false;  ///< true if the user has dismissed the banner
};

/// A file that could not be opened, and why.
struct FailedFile {
    std::string path;
    Error error;
};

}  // namespace snapviewer
