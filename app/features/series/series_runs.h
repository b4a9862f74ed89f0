#pragma once

#include <string>
#include <vector>

#include "app/features/app_state.h"
#include "app/features/series/series_tasks.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The series of the window: has its samples read, and leads to the full snapshots among them. What was read stays until
/// another series is opened. Main thread.
class SeriesRuns : public Feature {
public:
    /// Outlives this.
    explicit SeriesRuns(AppState& state) : state_(state) {}

    /// Opens the window and begins to read folders.
    void begin(std::vector<std::string> paths);
    void connect(Switchboard& board) override;
    void update() override;
    bool is_busy() const override { return job_.is_busy(); }
    bool has_window() const override;
    void draw(Requests& requests) override;
    void describe(nlohmann::json& report) const override;

private:
    void restart();
    void stop();

    AppState& state_;
    Job<SeriesOutcome> job_;
};

}  // namespace snapviewer
