#pragma once

#include "app/features/notes/state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// A small window for the text of a note, while one is being edited.
void draw_note_window(NotesState& state, Requests& requests);

}  // namespace snapviewer
