#pragma once

#include "app/jobs/tasks.h"
#include "app/state/app_state.h"

namespace snapviewer {

/// The texts of what is selected; what only the file itself knows follows from a worker.
class SelectedDetails {
public:
    /// `state` outlives this.
    explicit SelectedDetails(AppState& state) : state_(state) {}

    /// To be called every frame.
    void update();
    bool is_busy() const { return job_.is_busy(); }

private:
    AppState& state_;
    Job<LookedUpDetails> job_;
};

}  // namespace snapviewer
