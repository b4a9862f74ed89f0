#include "app/features/save_picture/save_picture_view.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <filesystem>

#include "app/ui/panel.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"

namespace snapviewer {
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
