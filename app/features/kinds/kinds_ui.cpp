#include <imgui.h>
#include <imgui_stdlib.h>

#include "app/features/kinds/kinds.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"

namespace snapviewer {
namespace {

constexpr float k_width = 620;
constexpr float k_height = 420;
constexpr const char* k_example =
    "[{\"kind\": \"activation\", \"frame\": \"cache\\\\.py:\\\\d+:store\"},\n"
    " {\"kind\": \"parameter\", \"metadata\": \"^weights\"}]\n";

void draw_buttons(KindRulesState& state, const std::string& in_use, Requests& requests) {
    if (ImGui::Button("Use these rules")) requests.ask(UseKindRules{state.text});
    report_rect("kind_rules_use");
    ImGui::SameLine();
    ImGui::BeginDisabled(state.text == in_use);
    if (ImGui::Button("Revert")) state.text = in_use;
    ImGui::EndDisabled();
    ImGui::SameLine();
    if (ImGui::Button("Insert an example")) state.text += k_example;
    report_rect("kind_rules_example");
}

}  // namespace

void draw_kind_rules_window(KindRulesState& state, const std::string& in_use, Requests& requests) {
    if (state.is_open && !state.was_open) state = {.is_open = true, .text = in_use, .error = ""};
    state.was_open = state.is_open;
    if (!state.is_open) return;
    ImGui::SetNextWindowSize({scaled(k_width), scaled(k_height)}, ImGuiCond_Appearing);
    if (begin_floating_window("Rules for kinds", state.is_open)) {
        draw_paragraph(
            palette().text_dim,
            "These rules say what an allocation is for. They take precedence over what the file and the phases of training "
            "show, and the first rule that matches decides. A frame is matched against file:line:function of the whole "
            "stack, metadata against the user metadata; both are regular expressions. Kinds: parameter, gradient, "
            "optimizer_state, activation, temporary, communication, unknown. An empty text means no rules.");
        // Space for an error message is always reserved, so that widgets do not move under the mouse when one appears.
        const float below_px = ImGui::GetFrameHeightWithSpacing() + 3 * ImGui::GetTextLineHeight();
        const ImVec2 size(-1.0F, std::max(ImGui::GetContentRegionAvail().y - below_px, 3 * ImGui::GetTextLineHeight()));
        push_font(fonts().code);
        ImGui::InputTextMultiline("##rules", &state.text, size);
        ImGui::PopFont();
        report_rect("kind_rules_text");
        draw_buttons(state, in_use, requests);
        if (!state.error.empty()) draw_paragraph(palette().danger, state.error);
    }
    ImGui::End();
}

}  // namespace snapviewer
