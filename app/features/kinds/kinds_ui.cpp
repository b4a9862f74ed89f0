#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>

#include "app/features/kinds/kinds.h"
#include "app/ui/drawn_text.h"
#include "app/ui/fonts.h"
#include "app/ui/item_observer.h"
#include "app/ui/theme.h"
#include "app/ui/widgets.h"

namespace snapviewer::kinds {
namespace {

constexpr float k_width = 620;
constexpr float k_height = 420;
constexpr const char* k_example =
    "[{\"kind\": \"activation\", \"frame\": \"cache\\\\.py:\\\\d+:store\"},\n"
    " {\"kind\": \"parameter\", \"metadata\": \"^weights\"}]\n";

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

Result<KindRules> parse_rules(const std::string& text) { return is_blank(text) ? KindRules() : KindRules::parse(text); }

}  // namespace

KindRules remembered_rules(Session& session) {
    const auto rules = parse_rules(session.preferences.kind_rules);
    if (rules) return *rules;
    session.notice = "The rules for kinds are not used: " + rules.error().text();
    return {};
}

void OwnRules::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::window,
                            .command = CommandId::tools_kind_rules,
                            .is_open = &is_open_,
                            .draw = [this](const Area& /*area*/, Requests& requests) { draw(requests); }});
}

void OwnRules::use(Requests& requests) {
    const auto rules = parse_rules(text_);
    error_ = rules ? "" : rules.error().text();
    if (!rules) return;
    session_.preferences.kind_rules = is_blank(text_) ? "" : text_;
    session_.preferences.needs_saving = true;
    is_open_ = false;
    requests.ask(RunCommand{CommandId::file_reload});
}

void OwnRules::draw_buttons(Requests& requests) {
    if (observed(ImGui::Button("Use these rules"), "kind_rules_use"))
        requests.later("use rules for kinds", [this, &requests] { use(requests); });
    ImGui::SameLine();
    const std::string& in_use = session_.preferences.kind_rules;
    ImGui::BeginDisabled(text_ == in_use);
    if (ImGui::Button("Revert")) text_ = in_use;
    ImGui::EndDisabled();
    ImGui::SameLine();
    if (observed(ImGui::Button("Insert an example"), "kind_rules_example")) text_ += k_example;
}

void OwnRules::draw(Requests& requests) {
    if (is_open_ && !was_open_) {
        text_ = session_.preferences.kind_rules;
        error_.clear();
    }
    was_open_ = is_open_;
    if (!is_open_) return;
    ImGui::SetNextWindowSize({scaled(k_width), scaled(k_height)}, ImGuiCond_Appearing);
    if (begin_floating_window("Rules for kinds", is_open_)) {
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
        ImGui::InputTextMultiline("##rules", &text_, size);
        ImGui::PopFont();
        observe_item("kind_rules_text");
        draw_buttons(requests);
        if (!error_.empty()) draw_paragraph(palette().danger, error_);
    }
    ImGui::End();
}

}  // namespace snapviewer::kinds
