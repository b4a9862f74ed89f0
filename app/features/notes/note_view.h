#pragma once

#include "app/features/notes/state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// Draws a small editor window while a note is being edited.
void draw_note_window(NotesState& state, Requests& requests);

}  // namespace snapviewer
