#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/features/app_state.h"
#include "app/features/series/series_tasks.h"
#include "app/ui/disk_watch.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Reads the series that the window shows, and opens the full snapshots in it. While following is on, new samples are read
/// as they are written. Samples stay in memory until another series is opened. Main thread.
class SeriesRuns : public Feature {
public:
    /// Keeps a reference; `state` must outlive this object.
    explicit SeriesRuns(AppState& state) : state_(state) {}

    /// Opens the window and starts to read the samples in these folders.
    void begin(std::vector<std::string> paths);
    void connect(Switchboard& board) override;
    void update() override;
    bool is_busy() const override { return job_.is_busy(); }
    bool has_news() const override { return watch_.ask(&SeriesChanges::has_news); }
    void draw(Requests& requests) override;
    void describe(nlohmann::json& report) const override;

private:
    void restart();
    void stop();
    void read();
    void show(std::shared_ptr<const ShownSeries> read);
    void watch();
    void turn_following();

    AppState& state_;
    /// cache of samples; replaced when a job is abandoned, because that job may still use the old one
    std::shared_ptr<SeriesMemory> memory_;
    Job<SeriesOutcome> job_;
    bool is_quiet_ = false;           ///< the current job only adds new samples, so it shows no progress
    DiskWatch<SeriesChanges> watch_;  ///< watches the folder while following is on and no job runs
};

}  // namespace snapviewer
