#pragma once

#include <memory>
#include <string>

#include "app/features/app_state.h"
#include "app/features/selection/selection.h"
#include "app/ui/feature.h"
#include "core/base/job.h"

namespace snapviewer {

/// Runs slow searches on a worker thread, while the window keeps showing the previous result.
class SlowSearch : public Feature {
public:
    /// Keeps references; both must outlive this object.
    SlowSearch(AppState& state, Selection& selection) : state_(state), selection_(selection) {}

    void connect(Switchboard& board) override;

    /// Called every frame: starts a job when the search has changed, and takes its result.
    void update() override;
    bool is_busy() const override { return state_.search.is_waiting || finding_.is_busy(); }
    void describe(nlohmann::json& report) const override;

private:
    void ask_in_sql(Requests& requests);
    bool is_asked(const Timeline* timeline) const;

    AppState& state_;
    Selection& selection_;
    Job<Emphasis> finding_;
    std::shared_ptr<const Timeline> timeline_;  ///< timeline that is being searched; null without a running job
    std::string text_;
};

}  // namespace snapviewer
