#pragma once

#include "app/state/app_state.h"
#include "core/base/job.h"

namespace snapviewer {

/// Makes tracks below the picture of answers that tell a value by step. Main thread.
class QueryTracks {
public:
    /// `state` outlives this.
    explicit QueryTracks(AppState& state) : state_(state) {}

    /// Of the answer on the screen, below the picture on the screen, whose steps it is taken to tell. Does nothing where
    /// there is no picture, or the answer is none of steps.
    void add();
    void remove(std::size_t index);
    /// To be called every frame: takes a track that is ready.
    void update();
    /// Before the file goes.
    void forget();
    bool is_busy() const { return making_.is_busy(); }

private:
    AppState& state_;
    Job<QueryTrack> making_;
};

}  // namespace snapviewer
