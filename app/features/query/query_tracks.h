#pragma once

#include "app/features/app_state.h"
#include "app/ui/feature.h"
#include "core/base/job.h"

namespace snapviewer {

/// Makes tracks below the picture of answers that tell a value by step. Main thread.
class QueryTracks : public Feature {
public:
    /// `state` outlives this.
    explicit QueryTracks(AppState& state) : state_(state) {}

    /// Of the answer on the screen, below the picture on the screen, whose steps it is taken to tell. Does nothing where
    /// there is no picture, or the answer is none of steps.
    void add();
    void remove(std::size_t index);
    /// Every frame: takes a track that is ready.
    void update() override;
    /// Before the file goes.
    void forget();
    bool is_busy() const override { return making_.is_busy(); }
    void connect(Switchboard& board) override;
    void leave() override { forget(); }

private:
    AppState& state_;
    Job<QueryTrack> making_;
};

}  // namespace snapviewer
