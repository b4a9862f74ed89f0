#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/features/notes/note_file.h"

namespace snapviewer {

/// The notes of the open file.
struct NotesState {
    std::optional<std::uint64_t> content;  ///< of the file, see content_hash(); none where it takes no notes
    std::vector<Note> notes;               ///< deleted ones too
    std::vector<Note> replaced;            ///< what each change put another in place of, to be undone; oldest first
    std::optional<Note> edited;            ///< in the window for that
    bool was_open = false;
};

}  // namespace snapviewer
