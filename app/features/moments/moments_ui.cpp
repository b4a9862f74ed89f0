#include <fmt/format.h>
#include <imgui.h>

#include "app/features/moments/moments.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/drawn_text.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
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

/// Draws a button, `width` wide, with the kind of change and its bytes. Returns true if it was clicked.
bool draw_change(const ChangeWords& change, const LiveShare& sum, bool is_shown, float width) {
    const std::string text = fmt::format("{}\n{}##{}", change.words, format_bytes(sum.bytes), change.words);
    return toggle_button(text, is_shown, change.rect, "", {width, 2 * ImGui::GetTextLineHeight() + scaled(10)});
}

}  // namespace

void MomentMarks::ask_to_highlight(ChangeKind change, std::optional<StackId> stack, Requests& requests) {
    requests.later("highlight a change", [this, change, stack] { highlight(change, stack); });
}

void MomentMarks::draw(Requests& requests) {
    const Timeline& timeline = *session_.current_timeline();
    const auto at = [&](std::uint32_t tick) {
        return step_text(timeline, static_cast<double>(timeline.step_of_tick(tick)));
    };
    draw_paragraph(palette().text, fmt::format("From {} to {}", at(state_.range.first), at(state_.range.last)));
    const float gap = scaled(6);
    const float width = (ImGui::GetContentRegionAvail().x - 2 * gap) / 3;
    for (const ChangeWords& change : k_changes) {
        const LiveShare& sum = state_.list(change.kind).sum;
        if (draw_change(change, sum, state_.shown == change.kind, width)) {
            state_.shown = change.kind;
            state_.chosen.reset();
            ask_to_highlight(change.kind, std::nullopt, requests);
        }
        if (ImGui::IsItemHovered())
            row_tooltip(fmt::format("{}: {} in {}\nClick to see them in the picture", change.doc,
                                    format_bytes_exactly(sum.bytes), counted(timeline, sum.count)));
        ImGui::SameLine(0, gap);
    }
    ImGui::NewLine();
    const StackList& list = state_.list(state_.shown);
    draw_paragraph(palette().text_dim, fmt::format("{} in {}, {}", format_bytes(list.sum.bytes),
                                                   counted(timeline, list.sum.count), counted(list.totals.size(), "stack")));
    if (const ClickedStack clicked = draw_stack_list(list, state_.chosen, "moments_row_")) {
        state_.chosen = clicked;
        ask_to_highlight(state_.shown, clicked, requests);
    }
}

}  // namespace snapviewer
