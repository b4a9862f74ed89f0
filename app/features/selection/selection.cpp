#include "app/features/selection/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/features/highlight.h"
#include "app/features/reports/icicle.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/features/timeline/allocation_text.h"
#include "app/features/timeline/stack_names.h"
#include "app/ui/texts.h"
#include "core/query/database.h"
#include "core/timeline/overlays.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer::selection {

void Selection::select(AllocationId id) {
    if (session_.current_timeline() == nullptr) return;
    session_.current_device().selected = id;
    for (std::size_t i = 0; i < session_.icicle.views.size(); ++i) {
        const stacks::Icicle& icicle = *session_.icicles()[i];
        if (!icicle.allocations.empty()) session_.icicle.views[i].selected = icicle.leaf_of(id);
    }
}

void Selection::clear() {
    if (session_.shown_icicle() != nullptr) {
        select_node(stacks::IcicleNode::k_none);
        return;
    }
    session_.timeline.tracks.selected.reset();
    session_.timeline.ruler = RulerState{};
    select(AllocationId::none());
}

void Selection::select_node(std::uint32_t node) {
    const stacks::Icicle* icicle = session_.shown_icicle();
    if (icicle == nullptr) return;
    const bool is_linked = !icicle->allocations.empty() && session_.current_timeline() != nullptr;
    if (node == stacks::IcicleNode::k_none) {
        if (is_linked) select(AllocationId::none());
        if (session_.highlight.as<AllocationsSought>() != nullptr) close_search();
        session_.shown_icicle_view().selected.reset();
        return;
    }
    if (is_linked) {
        const stacks::IcicleNode& chosen = icicle->nodes[node];
        const std::vector<AllocationId> made = icicle->allocations_of(chosen);
        select(chosen.is_leaf && !made.empty() ? made.front() : AllocationId::none());
        if (made.empty())
            close_search();
        else
            search(AllocationsSought{made, reports::bar_text(*icicle, {node, node, chosen.start, chosen.end()})});
    }
    session_.shown_icicle_view().selected = node;
}

void Selection::reveal(AllocationId id) {
    if (session_.current_timeline() == nullptr || id.value >= session_.current_timeline()->allocation_count()) return;
    const Timeline& timeline = *session_.current_timeline();
    DeviceState& device = session_.current_device();
    select(id);
    session_.timeline.selected_outline = make_outline(timeline, device.axis, id);
    device.view = reveal_in_view(device.view, bounds(session_.timeline.selected_outline), session_.current_limits());
}

bool Selection::follow_index(std::size_t device_index, std::int64_t index) {
    const std::size_t count = session_.document->snapshot->devices[device_index].allocations.size();
    if (index < 0 || static_cast<std::uint64_t>(index) >= count) return false;
    pictures_.show(device_index, ViewKind::allocations);
    reveal(AllocationId{static_cast<std::uint32_t>(index)});
    return true;
}

void Selection::follow(const RowTarget& target) {
    if (session_.current_timeline() == nullptr) return;
    const Snapshot& snapshot = *session_.document->snapshot;
    if (target.allocs_index) follow_index(session_.device_index, *target.allocs_index);
    if (!target.allocation_row) return;
    for (std::size_t device = 0; device < snapshot.devices.size(); ++device) {
        if (follow_index(device, *target.allocation_row - query::first_allocation_row(snapshot, device))) return;
    }
}

void Selection::search(Sought sought) {
    session_.highlight.sought = std::move(sought);
    update_highlight(session_.highlight, session_.current_timeline(), session_.groups);
}

void Selection::find(const std::string& text) {
    need_characters(text);
    search(text_sought(text));
}

void Selection::highlight(StackId stack) {
    const Timeline* timeline = session_.current_timeline();
    if (timeline != nullptr) search(StackSought{stack, stack_name(*timeline, stack)});
}

void Selection::highlight_group(std::size_t group) {
    if (session_.highlight.group() == group || group >= session_.groups.groups.size()) {
        close_search();
        return;
    }
    search(GroupSought{group, session_.groups.groups[group].name});
}

void Selection::close_search() { session_.highlight = Highlight{}; }

void Selection::go_to_hit(bool forward) {
    const std::shared_ptr<const Emphasis>& allocations = session_.highlight.allocations;
    if (session_.current_timeline() == nullptr || !allocations) return;
    const auto hit = allocations->neighbour(session_.selected(), forward);
    if (!hit) return;
    reveal(*hit);
    const Outline& outline = session_.timeline.selected_outline;
    const Projection& canvas = session_.timeline.projection;
    View& view = session_.current_device().view;
    view = zoom_to_hit(view, {outline.x.front(), outline.x.back(), outline.low_bytes.front(), outline.size_bytes},
                       {canvas.width_px(), canvas.height_px()}, session_.current_limits());
}

/// Makes a marker the current one, lists the allocations that are live at its moment, and shows its name.
void MarkerWalk::mark(std::size_t marker) {
    const Timeline& timeline = *session_.current_timeline();
    const std::vector<Marker>& markers = session_.current_overlays().markers;
    session_.timeline.overlays.current_marker = marker;
    live_.list(tick_of_marker(timeline, markers[marker]));
    if (!session_.selected().is_some()) live_.show_page();
    const std::string where = session_.devices.size() > 1 ? " of " + device_name(timeline.trace()) : "";
    session_.notice =
        fmt::format("Marker {} of {}{}: {}", marker + 1, markers.size(), where, marker_label(timeline, markers[marker]));
}

/// Selecting a marker clears the selected allocation.
void MarkerWalk::select(std::size_t index) {
    std::optional<std::size_t>& current = session_.timeline.overlays.current_marker;
    if (current == index) {
        current.reset();
        return;
    }
    if (index >= session_.current_overlays().markers.size()) return;
    selection_.select(AllocationId::none());
    mark(index);
}

void MarkerWalk::go_to(std::size_t index) {
    if (index >= session_.current_overlays().markers.size()) return;
    session_.preferences.overlays["markers"] = true;
    mark(index);
    DeviceState& device = session_.current_device();
    const Marker& marker = session_.current_overlays().markers[index];
    device.view = centre_view(device.view, marker.place.on(device.axis), session_.current_limits());
}

void MarkerWalk::go_to_peak() {
    if (session_.current_timeline() == nullptr || session_.shown_icicle() != nullptr) return;
    DeviceState& device = session_.current_device();
    device.view = peak_view(*session_.current_timeline(), device.axis);
    const std::vector<Marker>& markers = session_.current_overlays().markers;
    const auto peak = std::ranges::find(markers, Marker::Kind::peak, &Marker::kind);
    if (peak != markers.end()) mark(static_cast<std::size_t>(peak - markers.begin()));
}

std::optional<std::size_t> MarkerWalk::next_device_with_markers(bool forward) const {
    const std::size_t count = session_.devices.size();
    for (std::size_t step = 1; step <= count; ++step) {
        const std::size_t index = (session_.device_index + (forward ? step : count - step)) % count;
        if (!session_.overlays_of_device(index).markers.empty()) return index;
    }
    return std::nullopt;
}

void MarkerWalk::go_to_next(bool forward) {
    if (session_.current_timeline() == nullptr) return;
    const auto count = [this] { return std::ssize(session_.current_overlays().markers); };
    const std::optional<std::size_t> current = session_.timeline.overlays.current_marker;
    const std::ptrdiff_t before = current ? static_cast<std::ptrdiff_t>(*current) : forward ? -1 : count();
    std::ptrdiff_t next = before + (forward ? 1 : -1);
    if (next < 0 || next >= count()) {
        const std::optional<std::size_t> device_index = next_device_with_markers(forward);
        if (!device_index) {
            session_.notice = "There are no markers in this file";
            return;
        }
        pictures_.show_device(*device_index);
        next = forward ? 0 : count() - 1;
    }
    go_to(static_cast<std::size_t>(next));
}

void Selection::connect(Switchboard& board) {
    board.commands.on(CommandId::selection_clear, {.run = [this] { clear(); }});
    board.handlers.on<SelectAllocation>([this](const SelectAllocation& asked) {
        select(asked.id);
        // opens the page of details, even if this allocation is already selected
        if (session_.selected().is_some()) session_.pages.followed = AllocationId::none();
    });
    board.handlers.on<RevealAllocation>([this](const RevealAllocation& asked) { reveal(asked.id); });
    board.handlers.on<SelectNode>([this](const SelectNode& asked) { select_node(asked.node); });
    board.handlers.on<FindText>([this](const FindText& asked) { find(asked.text); });
    board.handlers.on<HighlightStack>([this](const HighlightStack& asked) { highlight(asked.stack); });
    board.handlers.on<HighlightGroup>([this](const HighlightGroup& asked) { highlight_group(asked.group); });
    board.handlers.on<FollowRow>([this](const FollowRow& asked) { follow(asked.target); });
}

/// A typed search is kept for the next file. Other searches refer to objects of the old file, so they end.
void Selection::leave() {
    if (session_.highlight.as<TextSought>() == nullptr) session_.highlight = Highlight{};
}

void Selection::adopt() {
    if (!session_.document) session_.highlight = Highlight{};
}

bool Selection::dismiss(Requests& /*requests*/) {
    if (session_.shown_icicle() != nullptr || !session_.has_selection()) return false;
    clear();
    return true;
}

namespace {

bool has_markers(const Session& session) {
    for (std::size_t i = 0; i < session.devices.size(); ++i) {
        if (!session.overlays_of_device(i).markers.empty()) return true;
    }
    return false;
}

}  // namespace

void MarkerWalk::connect(Switchboard& board) {
    board.commands.on(CommandId::go_peak, {.is_possible = shows_timeline, .run = [this] { go_to_peak(); }});
    board.commands.on(CommandId::go_next_marker, {.is_possible = has_markers, .run = [this] { go_to_next(true); }});
    board.commands.on(CommandId::go_previous_marker, {.is_possible = has_markers, .run = [this] { go_to_next(false); }});
    board.handlers.on<SelectMarker>([this](const SelectMarker& asked) { select(asked.index); });
    board.handlers.on<GoToMarker>([this](const GoToMarker& asked) { go_to(asked.index); });
}

}  // namespace snapviewer::selection
