#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/features/compare/compare.h"
#include "app/features/files/files.h"
#include "app/features/fleet/fleet_data.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/background_task.h"
#include "app/ui/disk_watch.h"
#include "app/ui/feature.h"
#include "app/ui/state_parts.h"
#include "core/analysis/compare/curves.h"

namespace snapviewer::fleet {

/// State of the fleet window that persists between frames.
struct FleetState {
    bool is_open = false;
    std::vector<std::string> paths;           ///< paths of the opened fleet; empty before one is opened
    std::shared_ptr<const ShownFleet> shown;  ///< display data of the fleet that has been read so far
    std::size_t files = 0, files_read = 0;    ///< number of files on the disk, and of those that have been read
    LongWork work;

    FleetOrder order;                   ///< filter and sort order of the fleet table
    std::vector<std::uint32_t> places;  ///< ranks of `arranged`, in the order `arranged_by`
    std::shared_ptr<const ShownFleet> arranged;
    FleetOrder arranged_by;
    bool bars_by_peak = false;        ///< true to sort the bars by peak; false for the order of the fleet
    std::vector<std::uint32_t> bars;  ///< ranks of the fleet `barred_of`, sorted by peak if `barred_by_peak`
    std::shared_ptr<const ShownFleet> barred_of;
    bool barred_by_peak = false;

    std::optional<RankPlace> cursor;  ///< rank under the cursor, which Enter opens
    bool scroll_to_cursor = false;
    std::vector<RankPlace> chosen;  ///< ranks chosen for comparison; their curves are drawn

    std::string refusal;  ///< the reason why the last action on a rank failed; empty if it did not

    std::vector<RankPlace> curves_of;  ///< chosen ranks whose totals have been read
    compare::ReducedCurves curves;     ///< curves of `curves_of`
    bool curves_by_clock = false;      ///< true to align curves by clock if possible; false to align by training step
    std::string not_by_clock;          ///< the reason why the clocks do not agree; empty if they do
    std::string curves_status;         ///< progress of reading totals; empty if none are being read
    std::string curves_error;          ///< the reason why a chosen rank has no curve
};

/// The fleet of a window. Reads its files in the background, and reads them again when they change. Opens ranks in the main
/// window, and starts comparisons. Results stay until another fleet is opened. Main thread.
class FleetRuns : public Feature {
public:
    /// All arguments must outlive this object.
    FleetRuns(Session& session, Pictures& pictures, files::FileOpener& opener, compare::CompareRuns& compare)
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
    bool is_busy() const override { return reading_task_.is_busy() || totals_task_.is_busy(); }

    /// Opens a rank in the main window and closes the fleet window.
    void open(const RankPlace& rank);
    /// Opens the first of two chosen ranks in the main window, and the comparison with the second.
    void compare_chosen();
    std::string file_note() const override;
    void connect(Switchboard& board) override;

    const FleetState& state() const { return state_; }

private:
    /// Draws the window while it is open: the ranks of a job, and a summary of the unusual ones and their causes. Per frame
    /// O(rows on the screen + bars with a pixel of their own).
    void draw(Requests& requests);
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
    const Result<RankTotals>* totals_of(const RankPlace& rank) const;
    void align_chosen();

    Session& session_;
    Pictures& pictures_;
    files::FileOpener& opener_;
    compare::CompareRuns& compare_;
    FleetState state_;
    std::shared_ptr<FleetReading> reading_;  ///< the fleet that is read; null before one is opened
    BackgroundTask<std::monostate> reading_task_;
    BackgroundTask<RankTotals, RankPlace> totals_task_;
    DiskWatch<FleetChangeDetector> watch_;  ///< watches the files, unless they are being read or reading was stopped
    std::vector<std::pair<RankPlace, Result<RankTotals>>> totals_;  ///< see totals_of()
    std::vector<RankTotals> aligned_;                               ///< totals of the ranks whose curves were last computed
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

/// The colour of a rank's bar and row. Outliers have their own colours, all other ranks the accent colour.
std::uint32_t rank_colour(const ShownRank& rank);

/// Draws a bar for the peak of each rank. Lines above it mark the memory that the rank reserved and the capacity of its
/// device; a line across all bars marks the median. If there are more ranks than pixels, each place shows its most important
/// rank. Precondition: `state` has a fleet.
void draw_fleet_bars(FleetState& state, Requests& requests);

/// The colour of a chosen rank's curve. `place` is its index among the chosen ranks.
std::uint32_t chosen_rank_colour(std::size_t place);

/// Draws the memory totals of the chosen ranks as curves over a common axis in the rest of the window, and marks where the
/// training steps of the first rank begin. No-op if no rank is chosen.
void draw_rank_curves(FleetState& state);
/// Height that draw_rank_curves() needs if `room_px` is available.
float rank_curves_height(const FleetState& state, float room_px);

}  // namespace snapviewer::fleet
