#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/features/app_state.h"
#include "app/features/compare/compare_tasks.h"
#include "app/features/selection/selection.h"
#include "app/features/timeline/pictures.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// Compares the device on the screen (A) with a device of another file (B) while the comparison window is open. Opens the
/// other file, and repeats the comparison when the devices or options change. Main thread.
class CompareRuns : public Feature {
public:
    /// All arguments must outlive this object.
    CompareRuns(AppState& state, Pictures& pictures, Selection& selection)
        : state_(state), pictures_(pictures), selection_(selection) {}

    /// Opens the comparison window and starts to compare with a file, or with one rank in it. Precondition: a timeline is on
    /// the screen.
    void begin(const std::string& path, std::optional<RankPlace> rank = {});
    /// Must be called once per frame.
    void update() override;
    /// Stops the comparison and keeps the last result. restart() or a change of the options continues.
    void stop();
    /// Restarts a comparison that was stopped or has failed.
    void restart();
    /// True while a comparison runs, or if the options have changed and update() has not seen the change yet.
    bool is_busy() const override { return is_working() || is_out_of_date(); }

    /// Highlights all allocations of both recordings that belong to the row with this key. Can be called at any time.
    void go_to(const std::string& key);
    /// Highlights the allocations of all rows in a box of the comparison; nullopt removes the highlight.
    void show_box(std::optional<ComparedBox> box);
    /// One database connection with the tables of A and B. Also available while the window is closed; null before the first
    /// comparison.
    std::shared_ptr<Database> both() const;
    /// The command line that prints the same comparison; empty before the first one.
    std::string command_line() const;
    void connect(Switchboard& board) override;
    void describe(nlohmann::json& report) const override;

private:
    bool is_shown() const {
        return state_.compare.is_open && state_.current_timeline() != nullptr && !state_.compare.path.empty();
    }
    bool is_working() const { return opening_.is_busy() || comparing_.is_busy(); }
    bool is_out_of_date() const;
    bool is_of_open_file() const;
    ComparisonTask wanted() const;
    void adopt_other(std::shared_ptr<const Document> other);
    void discard();
    void follow_document();
    void take();
    void begin_next();
    void show_work();
    void light(const std::vector<std::string>& keys, const std::string& name);
    void follow_search();

    AppState& state_;
    Pictures& pictures_;
    Selection& selection_;
    std::shared_ptr<const Document> document_;  ///< the document that was open in the previous frame
    std::optional<RankPlace> rank_b_;           ///< rank of B, if its file has several ranks
    std::optional<ComparisonTask> asked_;       ///< the comparison that was last started
    Job<OtherFileOutcome> opening_;
    Job<ComparisonOutcome> comparing_;
};

}  // namespace snapviewer
