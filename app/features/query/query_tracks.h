#pragma once

#include "app/features/app_state.h"
#include "app/ui/feature.h"
#include "core/base/job.h"

namespace snapviewer {

/// Converts query results that have a value per step into tracks below the picture. Main thread.
class QueryTracks : public Feature {
public:
    /// Keeps a reference; `state` must outlive this object.
    explicit QueryTracks(AppState& state) : state_(state) {}

    /// Starts to convert the visible result to a track below the current picture, whose steps the result is assumed to use.
    /// No-op without a picture, or if the result has no column of steps.
    void add();
    void remove(std::size_t index);
    /// Called every frame; takes a track when it is ready.
    void update() override;
    /// Removes all tracks. Call before the file is closed.
    void forget();
    bool is_busy() const override { return making_.is_busy(); }
    void connect(Switchboard& board) override;
    void leave() override { forget(); }

private:
    AppState& state_;
    Job<QueryTrack> making_;
};

}  // namespace snapviewer
