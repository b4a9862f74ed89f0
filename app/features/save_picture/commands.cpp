#include "app/features/save_picture/picture_saver.h"
#include "app/features/save_picture/save_picture_view.h"
#include "app/features/save_picture/shown_picture.h"

namespace snapviewer {
namespace {

bool can_render(const AppState& state) { return why_no_render_command(state).empty(); }

}  // namespace

void PictureSaver::connect(Switchboard& board) {
    board.commands.add({.id = "file_save_picture",
                        .menu = Menu::file,
                        .place = 200,
                        .words = "Save the picture…",
                        .synonyms = "export image screenshot",
                        .keys = "Ctrl+S",
                        .is_possible = can_render,
                        .doc = why_no_render_command,
                        .run = [this] { state_.open_window(state_.save_picture.is_open); }});
    board.commands.add({.id = "edit_copy_command",
                        .menu = Menu::file,
                        .place = 210,
                        .words = "Copy the command that draws this",
                        .synonyms = "render",
                        .is_possible = can_render,
                        .doc = why_no_render_command,
                        .run = [this, &board] { copy_command(board.requests); }});
    board.handlers.on<SavePicture>([this](const SavePicture& asked) { save(asked); });
}

void PictureSaver::draw(Requests& requests) {
    draw_save_picture_window(state_.save_picture, state_.document ? state_.document->path : std::string(), requests);
}

}  // namespace snapviewer
