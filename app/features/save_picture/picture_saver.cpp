#include "app/features/save_picture/picture_saver.h"

#include <optional>
#include <utility>
#include <vector>

#include "app/features/save_picture/shown_picture.h"
#include "app/system/run_program.h"
#include "app/system/window_system.h"
#include "app/ui/theme.h"
#include "core/system/processes.h"

namespace snapviewer {

void PictureSaver::save(const SavePicture& asked) {
    if (state_.notice = why_no_render_command(state_); !state_.notice.empty()) return;
    // the child process reads the preferences from their file
    (void)save_preferences(state_.preferences, OutputFile::Durability::unsynced);
    PictureSpec spec = shown_picture(state_, palette().ground);
    spec.out = asked.path;
    spec.size = asked.size;
    if (own_program().empty()) return tell({asked.path, left_out_of_render(state_), draw_here_(spec)});
    std::vector<std::string> words = command_words(spec);
    words.front() = own_program().string();
    drawing_.start(
        [words = std::move(words), path = asked.path, left_out = left_out_of_render(state_)](const Progress& progress) {
            return Outcome{path, left_out, run_program(words, progress)};
        });
}

void PictureSaver::copy_command(Requests& requests) const {
    if (!why_no_render_command(state_).empty()) return;
    requests.ask(CopyText{render_command_line(state_, palette().ground), "The command for this picture"});
}

void PictureSaver::tell(const Outcome& drawn) {
    state_.notice = drawn.status ? "" : drawn.status.error().text();
    if (!drawn.status) return;
    give_to_user(drawn.path);
    state_.toasts.say("Saved the picture as " + drawn.path + (drawn.left_out.empty() ? "" : ", without " + drawn.left_out));
    state_.save_picture.is_open = false;
}

void PictureSaver::update() {
    if (const std::optional<Outcome> drawn = drawing_.take()) tell(*drawn);
    state_.save_picture.is_saving = drawing_.is_busy();
}

}  // namespace snapviewer
