#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/features/app_state.h"
#include "app/features/series/series_tasks.h"
#include "app/ui/disk_watch.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The series of the window: has its samples read, and leads to the full snapshots among them. What was read stays until
/// another series is opened. While the job runs, new samples are read as they come. Main thread.
class SeriesRuns : public Feature {
public:
    /// Outlives this.
    explicit SeriesRuns(AppState& state) : state_(state) {}

    /// Opens the window and begins to read folders.
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
    std::shared_ptr<SeriesMemory> memory_;  ///< a new one whenever a job was left to itself with the old one
    Job<SeriesOutcome> job_;
    bool is_quiet_ = false;           ///< what is new is read without a word about it
    DiskWatch<SeriesChanges> watch_;  ///< while the folder is followed and nothing is read
};

}  // namespace snapviewer
