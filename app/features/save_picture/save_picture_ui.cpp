#include <imgui.h>
#include <imgui_stdlib.h>

#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "app/features/save_picture/save_picture.h"
#include "app/system/programs.h"
#include "app/system/window_system.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/system/processes.h"

namespace snapviewer {

void PictureSaver::save(const SavePicture& asked) {
    if (session_.notice = why_no_render_command(session_); !session_.notice.empty()) return;
    // the child process reads the preferences from their file
    (void)save_preferences(session_.preferences, OutputFile::Durability::unsynced);
    PictureSpec spec = shown_picture(session_, palette().ground);
    spec.out = asked.path;
    spec.size = asked.size;
    if (program_path().empty()) return tell({asked.path, left_out_of_render(session_), draw_here_(spec)});
    std::vector<std::string> words = command_words(spec);
    words.front() = program_path().string();
    drawing_.start(
        [words = std::move(words), path = asked.path, left_out = left_out_of_render(session_)](const Progress& progress) {
            return Outcome{path, left_out, run_program(words, progress)};
        });
}

void PictureSaver::copy_command(Requests& requests) const {
    if (!why_no_render_command(session_).empty()) return;
    requests.ask(CopyText{render_command_line(session_, palette().ground), "The command for this picture"});
}

void PictureSaver::tell(const Outcome& drawn) {
    session_.notice = drawn.status ? "" : drawn.status.error().text();
    if (!drawn.status) return;
    give_to_user(drawn.path);
    session_.toasts.say("Saved the picture as " + drawn.path +
                        (drawn.left_out.empty() ? "" : ", without " + drawn.left_out));
    session_.save_picture.is_open = false;
}

void PictureSaver::update() {
    if (const std::optional<Outcome> drawn = drawing_.take()) tell(*drawn);
    session_.save_picture.is_saving = drawing_.is_busy();
}

namespace {

namespace fs = std::filesystem;

void draw_format(SavePictureState& state, const char* words, const char* doc, bool is_svg) {
    if (ImGui::RadioButton(words, state.is_svg == is_svg)) {
        state.is_svg = is_svg;
        state.path = fs::path(state.path).replace_extension(is_svg ? ".svg" : ".png").string();
    }
    report_rect(is_svg ? "save_picture_svg" : "save_picture_png");
    if (ImGui::IsItemHovered()) item_tooltip(doc);
}

void draw_named_field(const char* label, const char* rect, std::string& text, float width_px) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(label);
    ImGui::SameLine(scaled(64));
    ImGui::SetNextItemWidth(scaled(width_px));
    ImGui::InputText((std::string("##") + label).c_str(), &text);
    report_rect(rect);
}

}  // namespace

void draw_save_picture_window(SavePictureState& state, const std::string& file, Requests& requests) {
    if (!state.is_open) return;
    if (begin_floating_window("Save the picture", state.is_open, ImGuiWindowFlags_AlwaysAutoResize)) {
        if (ImGui::IsWindowAppearing())
            state.path = fs::path(file).replace_extension(state.is_svg ? ".svg" : ".png").string();
        draw_format(state, "PNG", "Pixels, as on the screen", false);
        ImGui::SameLine(0, scaled(16));
        draw_format(state, "SVG", "Vectors: blocks, axes and curves as shapes, labels as text", true);
        draw_named_field("File", "save_picture_path", state.path, 420);
        draw_named_field("Size", "save_picture_size", state.size, 120);
        std::error_code ignored;
        const bool is_there = fs::exists(state.path, ignored);
        ImGui::BeginDisabled(state.path.empty() || state.is_saving);
        if (ImGui::Button(state.is_saving ? "Drawing…" : is_there ? "Replace the file" : "Save"))
            requests.ask(SavePicture{state.path, state.size});
        report_rect("save_picture_save");
        ImGui::EndDisabled();
    }
    ImGui::End();
}

}  // namespace snapviewer
