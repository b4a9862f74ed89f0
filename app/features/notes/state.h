#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/features/notes/note_file.h"

namespace snapviewer {

/// State of the notes of the open file.
struct NotesState {
    std::optional<std::uint64_t> content;  ///< hash of the open file, see content_hash(); nullopt if it cannot have notes
    std::vector<Note> notes;               ///< all notes, including deleted ones
    std::vector<Note> replaced;            ///< undo stack: the previous version of each changed note, oldest first
    std::optional<Note> edited;            ///< note in the editor window, if it is open
    bool was_open = false;
};

}  // namespace snapviewer
