#include "app/features/selection/marker_walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/features/live/live_view.h"
#include "app/features/timeline/allocation_text.h"
#include "core/timeline/markers.h"
#include "core/timeline/recording_facts.h"

namespace snapviewer {

/// Makes a marker the current one, lists the allocations that are live at its moment, and shows its name.
void MarkerWalk::mark(std::size_t marker) {
    const Timeline& timeline = *state_.current_timeline();
    const std::vector<Marker>& markers = state_.current_overlays().markers;
    state_.timeline.overlays.current_marker = marker;
    show_live_at(state_.live, timeline, tick_of_marker(timeline, markers[marker]));
    if (!state_.selected().is_some()) state_.pages.show_moment();
    const std::string where = state_.devices.size() > 1 ? " of " + device_name(timeline.trace()) : "";
    state_.notice =
        fmt::format("Marker {} of {}{}: {}", marker + 1, markers.size(), where, marker_label(timeline, markers[marker]));
}

/// Selecting a marker clears the selected allocation.
void MarkerWalk::select(std::size_t index) {
    std::optional<std::size_t>& current = state_.timeline.overlays.current_marker;
    if (current == index) {
        current.reset();
        return;
    }
    if (index >= state_.current_overlays().markers.size()) return;
    selection_.select(AllocationId::none());
    mark(index);
}

void MarkerWalk::go_to(std::size_t index) {
    if (index >= state_.current_overlays().markers.size()) return;
    state_.preferences.overlays["markers"] = true;
    mark(index);
    DeviceState& device = state_.current_device();
    const Marker& marker = state_.current_overlays().markers[index];
    device.view = centre_view(device.view, marker.place.on(device.axis), state_.current_limits());
}

void MarkerWalk::go_to_peak() {
    if (state_.current_timeline() == nullptr || state_.shown_icicle() != nullptr) return;
    DeviceState& device = state_.current_device();
    device.view = peak_view(*state_.current_timeline(), device.axis);
    const std::vector<Marker>& markers = state_.current_overlays().markers;
    const auto peak = std::ranges::find(markers, Marker::Kind::peak, &Marker::kind);
    if (peak != markers.end()) mark(static_cast<std::size_t>(peak - markers.begin()));
}

std::optional<std::size_t> MarkerWalk::next_device_with_markers(bool forward) const {
    const std::size_t count = state_.devices.size();
    for (std::size_t step = 1; step <= count; ++step) {
        const std::size_t index = (state_.device_index + (forward ? step : count - step)) % count;
        if (!state_.overlays_of_device(index).markers.empty()) return index;
    }
    return std::nullopt;
}

void MarkerWalk::go_to_next(bool forward) {
    if (state_.current_timeline() == nullptr) return;
    const auto count = [this] { return std::ssize(state_.current_overlays().markers); };
    const std::optional<std::size_t> current = state_.timeline.overlays.current_marker;
    const std::ptrdiff_t before = current ? static_cast<std::ptrdiff_t>(*current) : forward ? -1 : count();
    std::ptrdiff_t next = before + (forward ? 1 : -1);
    if (next < 0 || next >= count()) {
        const std::optional<std::size_t> device_index = next_device_with_markers(forward);
        if (!device_index) {
            state_.notice = "There are no markers in this file";
            return;
        }
        pictures_.show_device(*device_index);
        next = forward ? 0 : count() - 1;
    }
    go_to(static_cast<std::size_t>(next));
}

}  // namespace snapviewer
