#include "app/features/selection/selection.h"

#include <utility>

#include "app/features/emphasis.h"
#include "app/features/reports/icicle_labels.h"
#include "app/features/timeline/stack_names.h"
#include "app/ui/characters.h"
#include "core/query/database.h"

namespace snapviewer {

void Selection::select(AllocationId id) {
    if (state_.current_timeline() == nullptr) return;
    state_.current_device().selected = id;
    for (std::size_t i = 0; i < state_.icicle.views.size(); ++i) {
        const Icicle& icicle = *state_.icicles()[i];
        if (!icicle.allocations.empty()) state_.icicle.views[i].selected = icicle.leaf_of(id);
    }
}

void Selection::clear() {
    if (state_.shown_icicle() != nullptr) {
        select_node(IcicleNode::k_none);
        return;
    }
    state_.timeline.tracks.selected.reset();
    state_.timeline.ruler = RulerState{};
    select(AllocationId::none());
}

void Selection::select_node(std::uint32_t node) {
    const Icicle* icicle = state_.shown_icicle();
    if (icicle == nullptr) return;
    const bool is_linked = !icicle->allocations.empty() && state_.current_timeline() != nullptr;
    if (node == IcicleNode::k_none) {
        if (is_linked) select(AllocationId::none());
        if (state_.search.as<AllocationsSought>() != nullptr) close_search();
        state_.shown_icicle_view().selected.reset();
        return;
    }
    if (is_linked) {
        const IcicleNode& chosen = icicle->nodes[node];
        const std::vector<AllocationId> made = icicle->allocations_of(chosen);
        select(chosen.is_leaf && !made.empty() ? made.front() : AllocationId::none());
        if (made.empty())
            close_search();
        else
            look_for(AllocationsSought{made, bar_text(*icicle, {node, node, chosen.start, chosen.end()})});
    }
    state_.shown_icicle_view().selected = node;
}

void Selection::reveal(AllocationId id) {
    if (state_.current_timeline() == nullptr || id.value >= state_.current_timeline()->allocation_count()) return;
    const Timeline& timeline = *state_.current_timeline();
    DeviceState& device = state_.current_device();
    select(id);
    state_.timeline.selected_outline = make_outline(timeline, device.axis, id);
    device.view = reveal_in_view(device.view, bounds(state_.timeline.selected_outline), state_.current_limits());
}

bool Selection::follow_index(std::size_t device_index, std::int64_t index) {
    const std::size_t count = state_.document->snapshot->devices[device_index].allocations.size();
    if (index < 0 || static_cast<std::uint64_t>(index) >= count) return false;
    pictures_.show(device_index, ViewKind::allocations);
    reveal(AllocationId{static_cast<std::uint32_t>(index)});
    return true;
}

void Selection::follow(const RowTarget& target) {
    if (state_.current_timeline() == nullptr) return;
    const Snapshot& snapshot = *state_.document->snapshot;
    if (target.allocs_index) follow_index(state_.device_index, *target.allocs_index);
    if (!target.allocation_row) return;
    for (std::size_t device = 0; device < snapshot.devices.size(); ++device) {
        if (follow_index(device, *target.allocation_row - first_allocation_row(snapshot, device))) return;
    }
}

void Selection::look_for(Sought sought) {
    state_.search.sought = std::move(sought);
    state_.search.is_open = true;
    if (state_.search.as<TextSought>() == nullptr) state_.search.text.clear();
    update_emphasis(state_.search, state_.current_timeline(), state_.groups);
}

void Selection::find(const std::string& text) {
    need_characters(text);
    state_.search.text = text;
    look_for(TextSought{text});
}

void Selection::emphasise(StackId stack) {
    const Timeline* timeline = state_.current_timeline();
    if (timeline != nullptr) look_for(StackSought{stack, stack_name(*timeline, stack)});
}

void Selection::emphasise_group(std::size_t group) {
    if (state_.search.group() == group || group >= state_.groups.groups.size()) {
        close_search();
        return;
    }
    look_for(GroupSought{group, state_.groups.groups[group].name});
}

void Selection::open_search() { state_.search.is_open = state_.search.focus_input = state_.document != nullptr; }

void Selection::close_search() { state_.search = SearchState{}; }

void Selection::go_to_hit(bool forward) {
    const std::shared_ptr<const Emphasis>& emphasis = state_.search.emphasis;
    if (state_.current_timeline() == nullptr || !emphasis) return;
    const auto hit = forward ? emphasis->next(state_.selected()) : emphasis->previous(state_.selected());
    if (!hit) return;
    reveal(*hit);
    const Outline& outline = state_.timeline.selected_outline;
    const Projection& canvas = state_.timeline.projection;
    View& view = state_.current_device().view;
    view = nearer_to_hit(view, {outline.x.front(), outline.x.back(), outline.low_bytes.front(), outline.size_bytes},
                         {canvas.width_px(), canvas.height_px()}, state_.current_limits());
}

}  // namespace snapviewer
