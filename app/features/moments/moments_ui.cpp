#include "app/features/moments/moments.h"

#include <fmt/format.h>
#include <imgui.h>

#include <utility>

#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/stack_names.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/drawn_text.h"
#include "app/ui/theme.h"
#include "app/ui/tooltip.h"
#include "app/ui/widgets.h"
#include "core/base/text.h"

namespace snapviewer::moments {
namespace {

const std::vector<AllocationId>& of_kind(const MomentChanges& changes, ChangeKind kind) {
    return kind == ChangeKind::came ? changes.came : kind == ChangeKind::went ? changes.went : changes.stayed;
}

}  // namespace

void highlight_by_stack(selection::Selection& selection, const Timeline& timeline, std::span<const AllocationId> allocations,
                        std::string name, std::optional<StackId> stack) {
    AllocationsSought sought{{}, std::move(name)};
    if (stack) sought.name += ": " + stack_name(timeline, *stack);
    for (const AllocationId id : allocations) {
        if (!stack || making_stack(timeline.trace().allocations, id) == *stack) sought.ids.push_back(id);
    }
    if (sought.ids.empty())
        selection.close_search();
    else
        selection.highlight(std::move(sought));
}

/// Brings the page to the front when the ruler appears, and the previous page when it disappears.
void MomentMarks::update() {
    const RulerState& ruler = session_.timeline.ruler;
    const Timeline* timeline = session_.current_timeline();
    if (timeline == nullptr || !ruler.is_shown || !ruler.has_totals) {
        if (state_.timeline != nullptr && session_.pages.shown == k_moments_page && !session_.pages.next)
            session_.pages.next = state_.page_before;
        state_ = {};
        return;
    }
    const TickRange range{ruler.first_tick, ruler.last_tick};
    if (state_.timeline == nullptr) state_.page_before = session_.pages.shown;
    if (state_.is_measuring && !ruler.is_measuring) session_.pages.next = k_moments_page;
    state_.is_measuring = ruler.is_measuring;
    if (state_.timeline == timeline && state_.range == range) return;
    state_.timeline = timeline;
    state_.range = range;
    state_.chosen.reset();
    const MomentChanges changes = changes_between(*timeline, range.first, range.last);
    for (const ChangeKind kind : {ChangeKind::came, ChangeKind::went, ChangeKind::stayed})
        state_.lists[static_cast<std::size_t>(kind)] = details::make_stack_list(*timeline, of_kind(changes, kind));
}

void MomentMarks::highlight(ChangeKind change, std::optional<StackId> stack) {
    const Timeline* timeline = session_.current_timeline();
    if (timeline == nullptr) return;
    const MomentChanges changes = changes_between(*timeline, state_.range.first, state_.range.last);
    highlight_by_stack(selection_, *timeline, of_kind(changes, change), k_change_words[static_cast<std::size_t>(change)],
                       stack);
}

void MomentMarks::connect(Switchboard& board) {
    board.docked.push_back({.dock = Dock::page,
                            .id = k_moments_page,
                            .command = CommandId::page_range,
                            .is_there = [this](const Session&) { return state_.timeline != nullptr; },
                            .why_not = "Measure a range first, with Ctrl and drag in the picture",
                            .draw = [this](const Area& /*area*/, Requests& requests) { draw(requests); }});
}

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
