#pragma once

#include "app/jobs/flame_task.h"
#include "app/state/app_state.h"
#include "app/state/pictures.h"

namespace snapviewer {

/// The flame graph of the moment that Live speaks of, while it is open: made in the background, and anew when the moment,
/// the device or what is wanted of it changes. Main thread.
class FlameGraphs {
public:
    /// Both outlive this.
    FlameGraphs(AppState& state, Pictures& pictures) : state_(state), pictures_(pictures) {}

    /// To be called every frame.
    void update();
    /// Opens it, or goes back to the timeline.
    void toggle();
    bool is_busy() const { return job_.is_busy(); }

private:
    void close();
    void show();
    void take();

    AppState& state_;
    Pictures& pictures_;
    std::shared_ptr<const Document> document_;  ///< that it was asked of
    std::size_t device_index_ = 0;
    FlameMoment asked_;
    bool has_asked_ = false;
    Job<MadeFlame> job_;
};

}  // namespace snapviewer
