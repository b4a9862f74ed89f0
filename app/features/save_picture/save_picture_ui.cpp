#include <imgui.h>
#include <imgui_stdlib.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "app/features/save_picture/save_picture.h"
#include "app/system/programs.h"
#include "app/system/window_system.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/system/processes.h"

namespace snapviewer::save_picture {

/// Saves the picture on the screen in the same way as the command line does.
void PictureSaver::save() {
    if (session_.notice = why_no_render_command(session_); !session_.notice.empty()) return;
    // The child process reads the preferences from their file.
    (void)save_preferences(session_.preferences, OutputFile::Durability::unsynced);
    PictureSpec spec = shown_picture(session_, palette().ground);
    spec.out = saved_path_ = path_;
    spec.size = size_;
    left_out_ = left_out_of_render(session_);
    if (program_path().empty()) return report(draw_here_(spec));
    std::vector<std::string> words = command_words(spec);
    words.front() = program_path().string();
    drawing_.start_writing(0, [words = std::move(words)](const Progress& progress) -> Result<std::monostate> {
        const Status drawn = run_program(words, progress);
        if (!drawn) return drawn.error();
        return std::monostate();
    });
}

void PictureSaver::copy_command(Requests& requests) const {
    if (!why_no_render_command(session_).empty()) return;
    requests.ask(CopyText{render_command_line(session_, palette().ground), "The command for this picture"});
}

void PictureSaver::report(const Status& drawn) {
    session_.notice = drawn ? "" : drawn.error().text();
    if (!drawn) return;
    give_to_user(saved_path_);
    session_.toasts.say("Saved the picture as " + saved_path_ + (left_out_.empty() ? "" : ", without " + left_out_));
    is_open_ = false;
}

void PictureSaver::update() {
    if (const auto drawn = drawing_.take()) report(*drawn ? Status() : Status(drawn->error()));
}

namespace {

namespace fs = std::filesystem;

void draw_named_field(const char* label, const char* rect, std::string& text, float width_px) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(label);
    ImGui::SameLine(scaled(64));
    ImGui::SetNextItemWidth(scaled(width_px));
    ImGui::InputText((std::string("##") + label).c_str(), &text);
    observe_item(rect);
}

}  // namespace

void PictureSaver::draw_format(const char* words, const char* doc, bool is_svg) {
    if (ImGui::RadioButton(words, is_svg_ == is_svg)) {
        is_svg_ = is_svg;
        path_ = fs::path(path_).replace_extension(is_svg ? ".svg" : ".png").string();
    }
    observe_item(is_svg ? "save_picture_svg" : "save_picture_png");
    if (ImGui::IsItemHovered()) item_tooltip(doc);
}

void PictureSaver::draw_window(Requests& requests) {
    if (!is_open_) return;
    if (begin_floating_window("Save the picture", is_open_, ImGuiWindowFlags_AlwaysAutoResize)) {
        const std::string file = session_.document ? session_.document->path : std::string();
        if (ImGui::IsWindowAppearing()) path_ = fs::path(file).replace_extension(is_svg_ ? ".svg" : ".png").string();
        draw_format("PNG", "Pixels, as on the screen", false);
        ImGui::SameLine(0, scaled(16));
        draw_format("SVG", "Vectors: blocks, axes and curves as shapes, labels as text", true);
        draw_named_field("File", "save_picture_path", path_, 420);
        draw_named_field("Size", "save_picture_size", size_, 120);
        std::error_code ignored;
        const bool is_there = fs::exists(path_, ignored);
        const bool is_saving = drawing_.is_busy();
        ImGui::BeginDisabled(path_.empty() || is_saving);
        if (observed(ImGui::Button(is_saving ? "Drawing…" : is_there ? "Replace the file" : "Save"), "save_picture_save"))
            requests.later("save the picture as " + path_, [this] { save(); });
        ImGui::EndDisabled();
    }
    ImGui::End();
}

}  // namespace snapviewer::save_picture
