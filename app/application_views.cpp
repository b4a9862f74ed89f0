// What the timeline shows of a device: its allocations, its segments or its pools.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/application.h"
#include "core/base/units.h"

namespace snapviewer {

std::string device_title(const DevicePictures& device) {
    const Timeline& timeline = *device.current().made.timeline;
    std::string title = device_name(timeline.trace());
    if (device.oom_count > 0) title += ", out of memory";
    if (device.oom_count > 1) title += fmt::format(" {} times", format_count(device.oom_count));
    return title +
           fmt::format(": {}, peak {}", counted(timeline, timeline.allocation_count()), format_bytes(timeline.peak_bytes()));
}

/// The pictures of every device of an open file: the allocations now, the others when they are asked for.
void Application::prepare_pictures() {
    const Document& document = *state_.document;
    for (std::size_t i = 0; i < document.devices.size(); ++i) {
        DevicePictures& device = state_.devices.emplace_back();
        device.of(ViewKind::allocations) = first_picture(document.devices[i]);
        device.oom_count =
            static_cast<std::size_t>(std::ranges::count(document.snapshot->devices[i].events.action, Action::oom));
        for (std::size_t kind = 0; kind < k_view_kinds; ++kind)
            device.why_not[kind] = why_no_view(*document.snapshot, i, static_cast<ViewKind>(kind));
    }
}

DevicePicture Application::first_picture(DeviceView made) const {
    const Axis axis = default_axis(*made.timeline);
    const View all = fit_view(state_.limits(made, axis));
    return {std::move(made), {axis, all, AllocationId::none()}};
}

/// What was looked at stays in view when another device or another picture of it takes its place.
void Application::keep_moments(const DevicePicture& left, DevicePicture& shown) const {
    const Axis axis = left.state.axis;
    std::optional<View> view = same_moments(*left.made.timeline, left.state.view, *shown.made.timeline, axis);
    if (!view) return;
    const ViewLimits limits = state_.limits(shown.made, axis);
    view->y_end = fit_view(limits).y_end;
    shown.state.axis = axis;
    shown.state.view = pan_view(*view, 0, 0, limits);
}

void Application::show_view(ViewKind kind) {
    if (state_.current_timeline() == nullptr) return;
    DevicePictures& device = state_.devices[state_.device_index];
    if (const std::string& why_not = device.why_not[static_cast<std::size_t>(kind)]; !why_not.empty()) {
        state_.notice = why_not;
        return;
    }
    state_.icicle.shown.reset();
    if (!device.of(kind)) {
        building_kind_ = kind;
        building_.start(building(state_.document, state_.device_index, kind));
        return;
    }
    building_.stop();
    if (device.shown == kind) return;
    keep_moments(device.current(), *device.of(kind));
    device.shown = kind;
    if (state_.search.chosen) state_.search = SearchState{};
    show_device(state_.device_index);
}

/// The next one that the device has.
void Application::show_next_view() {
    if (state_.current_timeline() == nullptr) return;
    const DevicePictures& device = state_.devices[state_.device_index];
    for (std::size_t step = 1; step < k_view_kinds; ++step) {
        const std::size_t kind = (static_cast<std::size_t>(device.shown) + step) % k_view_kinds;
        if (!device.why_not[kind].empty()) continue;
        show_view(static_cast<ViewKind>(kind));
        return;
    }
    state_.notice = "Nothing else can be drawn of this device: neither segments nor private pools are in the file";
}

void Application::finish_build() {
    std::optional<BuiltView> outcome = building_.take();
    if (!outcome || outcome->document != state_.document) return;
    if (outcome->view) {
        state_.devices[outcome->device_index].of(outcome->kind) = first_picture(*std::move(outcome->view));
        if (outcome->device_index == state_.device_index) show_view(outcome->kind);
    } else if (outcome->view.error().code != ErrorCode::cancelled) {
        state_.notice = "This device " + outcome->view.error().text();
    }
}

}  // namespace snapviewer
