#include "app/features/conditions.h"
#include "app/features/notes/note_view.h"
#include "app/features/notes/notes.h"

namespace snapviewer {

void Notes::connect(Switchboard& board) {
    board.commands.add(
        {.id = "edit_note",
         .menu = Menu::picture,
         .place = 400,
         .words = "Add note here…",
         .synonyms = "comment annotate",
         .keys = "K",
         .is_possible = [](const AppState& state) { return has_picture(state) && state.notes.content.has_value(); },
         .doc =
             [](const AppState&) {
                 return std::string("Adds a text at the pointer, or where the selected allocation begins");
             },
         .run = [this] { begin(); }});
    board.commands.add(
        {.id = "edit_undo_note",
         .menu = Menu::picture,
         .place = 410,
         .words = "Undo note change",
         .keys = "Ctrl+Z",
         .is_possible = [](const AppState& state) { return has_picture(state) && !state.notes.replaced.empty(); },
         .run = [this] { undo(); }});
    board.handlers.on<EditNote>([this](const EditNote& asked) { edit(asked.id); });
    board.handlers.on<KeepNote>([this](const KeepNote& asked) { keep(asked.note); });
    board.handlers.on<GoToNote>([this](const GoToNote& asked) { go_to(asked.id); });
}

void Notes::leave() { state_.notes = NotesState{}; }
void Notes::draw(Requests& requests) { draw_note_window(state_.notes, requests); }

}  // namespace snapviewer
