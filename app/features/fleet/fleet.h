#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/features/compare/compare.h"
#include "app/features/files/files.h"
#include "app/features/fleet/fleet_tasks.h"
#include "app/features/fleet/state.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/disk_watch.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The fleet of a window. Reads its files in the background, and reads them again when they change. Opens ranks in the main
/// window, and starts comparisons. Results stay until another fleet is opened. Main thread.
class FleetRuns : public Feature {
public:
    /// All arguments must outlive this object.
    FleetRuns(Session& session, Pictures& pictures, FileOpener& opener, CompareRuns& compare)
        : session_(session), pictures_(pictures), opener_(opener), compare_(compare) {}

    /// Opens the fleet window and starts to read folders, snapshots and fleet databases.
    void begin(std::vector<std::string> paths);
    /// Must be called once per frame.
    void update() override;
    /// Stops reading and keeps the ranks that have been read. restart() continues.
    void stop();
    void restart();
    /// True if files were added, removed or changed since they were read, or if the connection to a remote folder was lost.
    bool has_news() const override { return has_other_files() || lost_folder().has_value(); }
    bool is_busy() const override { return reading_job_.is_busy() || totals_job_.is_busy(); }

    /// Opens a rank in the main window and closes the fleet window.
    void open(const RankPlace& rank);
    /// Opens the first of two chosen ranks in the main window, and the comparison with the second.
    void compare_chosen();
    void connect(Switchboard& board) override;
    void describe(nlohmann::json& report) const override;

private:
    void draw(Requests& requests);
    using Totals = Result<std::shared_ptr<const compare::ReducedTotals>>;
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

    Session& session_;
    Pictures& pictures_;
    FileOpener& opener_;
    CompareRuns& compare_;
    std::shared_ptr<FleetReading> reading_;  ///< the fleet that is read; null before one is opened
    Job<Status> reading_job_;
    Job<RankTotals> totals_job_;
    DiskWatch<FleetChangeDetector> watch_;  ///< watches the files, unless they are being read or reading was stopped
    std::vector<std::pair<RankPlace, Totals>> totals_;  ///< totals of the chosen ranks that have been read so far
    std::vector<std::shared_ptr<const compare::ReducedTotals>>
        aligned_;                               ///< totals of the ranks whose curves were last computed
    bool are_aligned_by_clock_ = false;         ///< true if the curves are aligned by clock, as far as the clocks agree
    std::shared_ptr<const Document> document_;  ///< the document that was open in the previous frame
    std::optional<RankPlace> awaited_;          ///< rank that is being opened in the main window
    std::optional<RankPlace> other_;            ///< rank to compare with `awaited_`
};

/// Maximum number of chosen ranks. More curves could not be distinguished by their colours.
inline constexpr std::size_t k_max_chosen_ranks = 6;

/// Adds a rank to the chosen ones, or removes it. If there are too many, the oldest one is removed.
void toggle_chosen(FleetState& state, const RankPlace& place);

/// Handles a click on a rank. A plain click moves the cursor to it. A click with Ctrl chooses it, and compares the two ranks
/// if it is the second. A double click opens it.
void press_rank(FleetState& state, const RankPlace& place, Requests& requests);

/// Draws the fleet window while it is open: the ranks of a job, and a summary of the unusual ones and their causes. Per
/// frame O(rows on the screen + bars with a pixel of their own).
void draw_fleet_window(FleetState& state, Requests& requests);

}  // namespace snapviewer
