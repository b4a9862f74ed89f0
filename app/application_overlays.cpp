// What lies over the allocations: switching it, and the way from marker to marker.
#include <fmt/format.h>

#include <algorithm>

#include "app/application.h"

namespace snapviewer {

void Application::show_overlay(const std::string& id, bool is_shown) {
    if (state_.current_timeline() == nullptr) return;
    const View fitted = fit_view(state_.current_limits());
    state_.settings.overlays[id] = is_shown;
    // Who saw all of it still does.
    DeviceState& device = state_.current_device();
    if (device.view == fitted) device.view = fit_view(state_.current_limits());
}

void Application::go_to_peak() {
    DeviceState& device = state_.current_device();
    device.view = peak_view(*state_.current_timeline(), device.axis);
    const std::vector<Marker>& markers = state_.current_overlays().markers;
    const auto peak = std::ranges::find(markers, Marker::Kind::peak, &Marker::kind);
    if (peak != markers.end()) state_.timeline.overlays.current_marker = static_cast<std::size_t>(peak - markers.begin());
}

void Application::go_to_marker(bool forward) {
    if (state_.current_timeline() == nullptr) return;
    const std::vector<Marker>& markers = state_.current_overlays().markers;
    std::optional<std::size_t>& current = state_.timeline.overlays.current_marker;
    if (markers.empty()) {
        state_.notice = "This device has no markers";
        return;
    }
    DeviceState& device = state_.current_device();
    const std::size_t last = markers.size() - 1;
    if (current) {
        current = forward ? (*current == last ? 0 : *current + 1) : (*current == 0 ? last : *current - 1);
    } else {
        current = forward ? 0 : last;
    }
    const Marker& marker = markers[*current];
    device.view = centre_view(device.view, marker.place.on(device.axis), state_.current_limits());
    state_.settings.overlays["markers"] = true;
    state_.notice = fmt::format("Marker {} of {}: {}", *current + 1, markers.size(), marker.label);
}

}  // namespace snapviewer
