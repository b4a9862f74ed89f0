#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/features/series/series_curves.h"
#include "app/features/series/state.h"
#include "app/features/session.h"
#include "app/ui/disk_watch.h"
#include "app/ui/feature.h"
#include "core/base/job.h"
#include "core/base/result.h"
#include "core/fleet/series/series_reader.h"

namespace snapviewer {

using SeriesOutcome = Result<std::shared_ptr<const ShownSeries>>;

/// Creates a job that reads the samples below `paths` that are not in `memory` yet. Only the job may access `memory` until
/// it ends.
Job<SeriesOutcome>::Work make_series_job(std::vector<std::string> paths, std::shared_ptr<series::SeriesMemory> memory);

using SeriesChanges = FolderChanges<series::SeriesStamp>;
/// Returns the files that belong to the series at present, with their stamps. One directory scan per call.
SeriesChanges::Seen look_for_samples(const std::vector<std::string>& paths);

/// Reads the series that the window shows, and opens the full snapshots in it. While following is on, new samples are read
/// as they are written. Samples stay in memory until another series is opened. Main thread.
class SeriesRuns : public Feature {
public:
    /// Keeps a reference; `state` must outlive this object.
    explicit SeriesRuns(Session& session) : session_(session) {}

    /// Opens the window and starts to read the samples in these folders.
    void begin(std::vector<std::string> paths);
    void connect(Switchboard& board) override;
    void update() override;
    bool is_busy() const override { return job_.is_busy(); }
    bool has_news() const override { return watch_.ask(&SeriesChanges::has_news); }
    void describe(nlohmann::json& report) const override;

private:
    void restart();
    void stop();
    void read();
    void show(std::shared_ptr<const ShownSeries> read);
    void watch();
    void turn_following();

    Session& session_;
    /// cache of samples; replaced when a job is abandoned, because that job may still use the old one
    std::shared_ptr<series::SeriesMemory> memory_;
    Job<SeriesOutcome> job_;
    bool is_quiet_ = false;           ///< the current job only adds new samples, so it shows no progress
    DiskWatch<SeriesChanges> watch_;  ///< watches the folder while following is on and no job runs
};

/// Draws the window of a series while it is open: the curves of all ranks, the layers of one rank, and the findings.
void draw_series_window(SeriesState& state, Requests& requests);

}  // namespace snapviewer
