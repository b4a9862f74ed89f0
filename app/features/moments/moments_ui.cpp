#include <fmt/format.h>
#include <imgui.h>

#include "app/features/moments/moments.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/drawn_text.h"
#include "app/ui/state_report.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "core/base/text.h"

namespace snapviewer {
namespace {

struct ChangeWords {
    ChangeKind kind = ChangeKind::came;
    const char* words;
    const char* rect;
    const char* doc;
};
constexpr std::array<ChangeWords, 3> k_changes = {
    {{ChangeKind::came, "came", "moments_came", "Alive at the second moment but not at the first"},
     {ChangeKind::went, "went", "moments_went", "Alive at the first moment but not at the second"},
     {ChangeKind::stayed, "stayed", "moments_stayed", "Alive at both moments"}}};

/// Draws a button, a third of the width, with the kind of change and its bytes.
void draw_change(MomentsState& state, const Timeline& timeline, const ChangeWords& change, float width, Requests& requests) {
    const LiveShare& sum = state.list(change.kind).sum;
    const bool is_shown = state.shown == change.kind;
    ImGui::PushStyleColor(ImGuiCol_Button, is_shown ? palette().accent_soft : palette().raised);
    const std::string text = fmt::format("{}\n{}##{}", change.words, format_bytes(sum.bytes), change.words);
    if (ImGui::Button(text.c_str(), {width, 2 * ImGui::GetTextLineHeight() + scaled(10)})) {
        state.shown = change.kind;
        state.chosen.reset();
        requests.ask(EmphasiseChange{change.kind, std::nullopt});
    }
    ImGui::PopStyleColor();
    report_rect(change.rect);
    if (ImGui::IsItemHovered())
        row_tooltip(fmt::format("{}: {} in {}\nClick to see them in the picture", change.doc,
                                format_bytes_exactly(sum.bytes), counted(timeline, sum.count)));
}

}  // namespace

void draw_moments_view(MomentsState& state, const Timeline& timeline, Requests& requests) {
    const auto at = [&](std::uint32_t tick) {
        return step_text(timeline, static_cast<double>(timeline.step_of_tick(tick)));
    };
    draw_paragraph(palette().text, fmt::format("From {} to {}", at(state.range.first), at(state.range.last)));
    const float gap = scaled(6);
    const float width = (ImGui::GetContentRegionAvail().x - 2 * gap) / 3;
    for (const ChangeWords& change : k_changes) {
        draw_change(state, timeline, change, width, requests);
        ImGui::SameLine(0, gap);
    }
    ImGui::NewLine();
    const StackList& list = state.list(state.shown);
    draw_paragraph(palette().text_dim, fmt::format("{} in {}, {}", format_bytes(list.sum.bytes),
                                                   counted(timeline, list.sum.count), counted(list.totals.size(), "stack")));
    if (const ClickedStack clicked = draw_stack_list(list, state.chosen, "moments_row_")) {
        state.chosen = clicked;
        requests.ask(EmphasiseChange{state.shown, clicked});
    }
}

}  // namespace snapviewer
