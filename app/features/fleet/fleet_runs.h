#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/app_state.h"
#include "app/features/compare/compare_runs.h"
#include "app/features/files/file_opener.h"
#include "app/features/fleet/fleet_tasks.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/disk_watch.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The fleet of the window: has its files read, and read anew when they change; leads from a rank into the main window
/// and to a comparison. What was read stays until another fleet is opened. Main thread.
class FleetRuns : public Feature {
public:
    /// All outlive this.
    FleetRuns(AppState& state, Pictures& pictures, FileOpener& opener, CompareRuns& compare)
        : state_(state), pictures_(pictures), opener_(opener), compare_(compare) {}

    /// Opens the window and begins to read folders, snapshots, and databases of fleets.
    void begin(std::vector<std::string> paths);
    /// Every frame.
    void update() override;
    /// What has been read stays. It goes on when asked to.
    void stop();
    void restart();
    /// Files came, went or changed since they were read, or are no longer seen.
    bool has_news() const override { return has_other_files() || lost_folder().has_value(); }
    bool is_busy() const override { return reading_job_.is_busy() || totals_job_.is_busy(); }

    /// Shows a rank in the main window, instead of the fleet.
    void open(const RankPlace& rank);
    /// Shows the first of two chosen ranks in the main window, with the comparison of both over it.
    void compare_chosen();
    void connect(Switchboard& board) override;
    void draw(Requests& requests) override;
    void describe(nlohmann::json& report) const override;

private:
    using Totals = Result<std::shared_ptr<const ReducedTotals>>;
    RankPlace on_disk(const RankPlace& rank) const;
    bool is_there(const RankPlace& rank, const char* wanted);
    std::vector<std::string> databases() const;
    void show_rank(const RankPlace& rank, std::optional<RankPlace> other);
    void follow_document();
    void arrive();
    void end_all_fetches();
    void take_reading();
    bool has_other_files() const { return watch_.ask(&FleetChangeDetector::has_news); }
    std::optional<std::string> lost_folder() const;
    void show_reading();
    void forget_changed_totals(const ShownFleet& before);
    void follow_chosen();
    void align_chosen();

    AppState& state_;
    Pictures& pictures_;
    FileOpener& opener_;
    CompareRuns& compare_;
    std::shared_ptr<FleetReading> reading_;  ///< null before a fleet was opened
    Job<Status> reading_job_;
    Job<RankTotals> totals_job_;
    DiskWatch<FleetChangeDetector> watch_;                       ///< while nothing is read and reading was not stopped
    std::vector<std::pair<RankPlace, Totals>> totals_;           ///< of the chosen ranks, as far as they were read
    std::vector<std::shared_ptr<const ReducedTotals>> aligned_;  ///< whose curves the window shows
    bool are_aligned_by_clock_ = false;                          ///< as far as their clocks allow
    std::shared_ptr<const Document> document_;                   ///< that was open in the frame before
    std::optional<RankPlace> awaited_;                           ///< is on its way into the main window
    std::optional<RankPlace> other_;                             ///< what that is to be compared with
};

}  // namespace snapviewer
