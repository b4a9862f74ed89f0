#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/features/notes/notes.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"

namespace snapviewer {
namespace {

constexpr float k_note_width = 460;
constexpr float k_note_height = 180;

}  // namespace

void draw_note_window(NotesState& state, Requests& requests) {
    const bool opens = state.edited && !state.was_open;
    state.was_open = state.edited.has_value();
    if (!state.edited) return;
    bool is_open = true;
    ImGui::SetNextWindowSize({scaled(k_note_width), scaled(k_note_height)}, ImGuiCond_Appearing);
    if (opens) ImGui::SetNextWindowFocus();
    if (begin_floating_window("Note", is_open)) {
        const float below_px = ImGui::GetFrameHeightWithSpacing();
        if (opens) ImGui::SetKeyboardFocusHere();
        const bool is_entered =
            ImGui::InputTextMultiline("##text", &state.edited->text, {-1, ImGui::GetContentRegionAvail().y - below_px},
                                      ImGuiInputTextFlags_CtrlEnterForNewLine | ImGuiInputTextFlags_EnterReturnsTrue);
        report_rect("note_text");
        const bool is_kept = ImGui::Button("Keep");
        report_rect("note_keep");
        ImGui::SameLine();
        const bool is_deleted = ImGui::Button("Delete");
        report_rect("note_delete");
        ImGui::SameLine();
        ImGui::TextDisabled("Enter saves it, Ctrl+Enter starts a new line");
        if (is_deleted) state.edited->text.clear();
        if (is_kept || is_deleted || is_entered) {
            requests.ask(KeepNote{*state.edited});
            is_open = false;
        }
    }
    ImGui::End();
    if (!is_open) state.edited.reset();
}

}  // namespace snapviewer
