#include "app/features/moments/moments.h"

#include <algorithm>
#include <utility>

#include "app/features/timeline/ruler_ui.h"
#include "app/features/timeline/stack_names.h"

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

}  // namespace snapviewer::moments
