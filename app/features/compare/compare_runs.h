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

/// Compares the device on the screen with one of another file, while the window for that is open: opens the other file, then
/// compares anew whenever something else is wanted. Main thread.
class CompareRuns : public Feature {
public:
    /// All outlive this.
    CompareRuns(AppState& state, Pictures& pictures, Selection& selection)
        : state_(state), pictures_(pictures), selection_(selection) {}

    /// Opens the window and begins to compare with a file, or with what of it one rank is. Only while a picture is on the
    /// screen.
    void begin(const std::string& path, std::optional<RankPlace> rank = {});
    /// Every frame.
    void update() override;
    /// What is there stays. It goes on when asked to, or when something else is wanted.
    void stop();
    /// After it was stopped or failed.
    void restart();
    /// Also while something is wanted that update() has not seen yet.
    bool is_busy() const override { return is_working() || is_out_of_date(); }

    /// Lights up all that both allocated under a row's key, whenever.
    void go_to(const std::string& key);
    /// The same for the rows of a box; for none, nothing stands out.
    void show_box(std::optional<ComparedBox> box);
    /// A's tables and B's in one connection, also while the window is closed; null before both were compared.
    std::shared_ptr<Database> both() const;
    /// The command line that gives the same; empty before there is a comparison.
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
    std::shared_ptr<const Document> document_;  ///< that was open in the frame before
    std::optional<RankPlace> rank_b_;           ///< where B is one of several in its file
    std::optional<ComparisonTask> asked_;       ///< last
    Job<OtherFileOutcome> opening_;
    Job<ComparisonOutcome> comparing_;
};

}  // namespace snapviewer
