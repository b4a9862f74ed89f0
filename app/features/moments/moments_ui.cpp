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

namespace snapviewer::moments {
namespace {

/// Tooltips of the kinds of change, indexed by ChangeKind.
constexpr std::array k_change_docs = {"Alive at the second moment but not at the first",
                                      "Alive at the first moment but not at the second", "Alive at both moments"};

}  // namespace

void MomentMarks::ask_to_highlight(ChangeKind change, std::optional<StackId> stack, Requests& requests) {
    requests.later("highlight a change", [this, change, stack] { highlight(change, stack); });
}

void MomentMarks::draw(Requests& requests) {
    const Timeline& timeline = *session_.current_timeline();
    draw_paragraph(palette().text, fmt::format("From {} to {}", tick_text(timeline, state_.range.first),
                                               tick_text(timeline, state_.range.last)));
    const float gap = scaled(6);
    const float width = (ImGui::GetContentRegionAvail().x - 2 * gap) / 3;
    for (std::size_t i = 0; i < k_change_words.size(); ++i) {
        const auto kind = static_cast<ChangeKind>(i);
        const LiveShare& sum = state_.list(kind).sum;
        const std::string text = fmt::format("{0}\n{1}##{0}", k_change_words[i], format_bytes(sum.bytes));
        if (toggle_button(text, state_.shown == kind, std::string("moments_") + k_change_words[i], "",
                          {width, 2 * ImGui::GetTextLineHeight() + scaled(10)})) {
            state_.shown = kind;
            state_.chosen.reset();
            ask_to_highlight(kind, std::nullopt, requests);
        }
        if (ImGui::IsItemHovered())
            row_tooltip(fmt::format("{}: {} in {}\nClick to see them in the picture", k_change_docs[i],
                                    format_bytes_exactly(sum.bytes), counted(timeline, sum.count)));
        ImGui::SameLine(0, gap);
    }
    ImGui::NewLine();
    const details::StackList& list = state_.list(state_.shown);
    draw_paragraph(palette().text_dim, fmt::format("{} in {}, {}", format_bytes(list.sum.bytes),
                                                   counted(timeline, list.sum.count), counted(list.totals.size(), "stack")));
    if (const details::ClickedStack clicked = details::draw_stack_list(list, state_.chosen, "moments_row_")) {
        state_.chosen = clicked;
        ask_to_highlight(state_.shown, clicked, requests);
    }
}

}  // namespace snapviewer::moments
