#include "app/features/timeline/block_names.h"

#include <utility>

#include "app/features/timeline/block_names_view.h"

namespace snapviewer {

void BlockNames::update() {
    TimelineState& picture = state_.timeline;
    if (!state_.document || state_.current_timeline() == nullptr || state_.shown_icicle() != nullptr ||
        !state_.preferences.show_names) {
        job_.discard();
        job_.take();
        asked_ = NamingScene{};
        picture.names = NamedBlocks{};
        return;
    }
    if (std::optional<NamedBlocks> named = job_.take()) picture.names = *std::move(named);
    const DeviceView& made = state_.devices[state_.device_index].current().made;
    const DeviceState& device = state_.current_device();
    if (picture.names.scene.device.timeline != made.timeline || picture.names.scene.axis != device.axis)
        picture.names = NamedBlocks{};
    if (pictures_.canvas().is_coarse()) {
        job_.discard();
        asked_ = NamingScene{};
        return;
    }
    const Projection& canvas = picture.projection;
    if (job_.is_busy() || canvas.max.x <= canvas.min.x) return;
    NamingScene scene{made, device.axis, device.view, room_for_names(canvas)};
    if (scene.is_same_as(asked_)) return;
    asked_ = scene;
    job_.start(make_naming_job(std::move(scene)));
}

}  // namespace snapviewer
