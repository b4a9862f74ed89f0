#include "app/features/details/stack_rules_view.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "app/ui/fonts.h"
#include "app/ui/panel.h"
#include "app/ui/paragraph.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"

namespace snapviewer {
namespace {

constexpr float k_stack_rules_width = 620;
constexpr float k_stack_rules_height = 520;
constexpr int k_folder_lines = 3;

void draw_stack_rules_buttons(UseStackRules& edited, Requests& requests) {
    if (ImGui::Button("Use these")) requests.ask(edited);
    report_rect("stack_rules_use");
    ImGui::SameLine();
    if (ImGui::Button("Default rules")) edited.settings.frame_rules = StackSettings::k_default_rules;
    report_rect("stack_rules_default");
}

}  // namespace

void draw_stack_rules_window(StackRulesState& state, const StackSettings& in_use, Requests& requests) {
    if (state.is_open && !state.was_open) state = {.is_open = true, .edited = {in_use}, .error = ""};
    state.was_open = state.is_open;
    if (!state.is_open) return;
    StackSettings& edited = state.edited.settings;
    ImGui::SetNextWindowSize({scaled(k_stack_rules_width), scaled(k_stack_rules_height)}, ImGuiCond_Appearing);
    if (begin_floating_window("Stacks and editor", state.is_open)) {
        draw_paragraph(palette().text_dim,
                       "Which frames are folded, one rule per line: \"fold\" or \"important\", followed by a regular "
                       "expression to find in file:line:function, by <interpreter> for what PyTorch's own viewer hides, or "
                       "by <framework> for all code that is not the program's own. Important frames are never folded.");
        const float line_px = ImGui::GetTextLineHeight();
        const float frame_px = ImGui::GetFrameHeightWithSpacing();
        // Reserves room for an error message, so that nothing moves under the mouse when one appears.
        const float below_px = (k_folder_lines + 8) * line_px + 2 * frame_px;
        const float rules_px = std::max(ImGui::GetContentRegionAvail().y - below_px, 3 * line_px);
        push_font(fonts().code);
        ImGui::InputTextMultiline("##rules", &edited.frame_rules, {-1, rules_px});
        ImGui::PopFont();
        report_rect("stack_rules_text");
        draw_paragraph(
            palette().text_dim,
            "The command that a double-click on a frame starts. It runs without a shell; {file} and {line} are replaced.");
        ImGui::SetNextItemWidth(-1);
        push_font(fonts().code);
        ImGui::InputTextWithHint("##editor", "code --goto {file}:{line}", &edited.editor_command);
        ImGui::PopFont();
        report_rect("stack_rules_editor");
        draw_paragraph(palette().text_dim,
                       "Folders on this machine whose sources may be shown, one per line; FROM=TO if the folder was "
                       "elsewhere on the machine of the recording. Sources next to the recording are always shown.");
        push_font(fonts().code);
        ImGui::InputTextMultiline("##folders", &edited.source_folders, {-1, (k_folder_lines + 0.5F) * line_px});
        ImGui::PopFont();
        report_rect("stack_rules_folders");
        draw_stack_rules_buttons(state.edited, requests);
        if (!state.error.empty()) draw_paragraph(palette().danger, state.error);
    }
    ImGui::End();
}

}  // namespace snapviewer
