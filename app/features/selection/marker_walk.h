#pragma once

#include <cstddef>
#include <optional>

#include "app/features/app_state.h"
#include "app/features/selection/selection.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Moves from marker to marker. Each step brings the marker into view, lists the allocations that are live there, and names
/// it.
class MarkerWalk : public Feature {
public:
    /// Keeps references; all must outlive this object.
    MarkerWalk(AppState& state, Pictures& pictures, Selection& selection)
        : state_(state), pictures_(pictures), selection_(selection) {}

    /// Selects a marker of the current picture; selecting the current marker again deselects it.
    void select(std::size_t index);
    /// Brings a marker into view.
    void go_to(std::size_t index);
    void go_to_peak();
    /// Goes to the next or previous marker. After the last marker of a device, continues with the next device that has
    /// markers, and wraps around after the last device.
    void go_to_next(bool forward);
    void connect(Switchboard& board) override;

private:
    void mark(std::size_t marker);
    std::optional<std::size_t> next_device_with_markers(bool forward) const;

    AppState& state_;
    Pictures& pictures_;
    Selection& selection_;
};

}  // namespace snapviewer
