#pragma once

#include <cstddef>
#include <optional>

#include "app/features/app_state.h"
#include "app/features/selection/selection.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The way from marker to marker, and what comes with each: the moment in view, what is alive there, a line that says so.
class MarkerWalk : public Feature {
public:
    /// All outlive this.
    MarkerWalk(AppState& state, Pictures& pictures, Selection& selection)
        : state_(state), pictures_(pictures), selection_(selection) {}

    /// Of the picture on the screen; the selected one again: none.
    void select(std::size_t index);
    /// Brings one into view.
    void go_to(std::size_t index);
    void go_to_peak();
    /// After the last marker of a device comes the first of the next device that has any, and so round.
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
