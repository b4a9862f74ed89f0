#pragma once

#include <memory>
#include <string>

#include "app/features/app_state.h"
#include "app/features/selection/selection.h"
#include "app/ui/feature.h"
#include "core/base/job.h"

namespace snapviewer {

/// Finds what takes long to find on a thread of its own, while the window goes on showing what it shows.
class SlowSearch : public Feature {
public:
    /// Both outlive this.
    SlowSearch(AppState& state, Selection& selection) : state_(state), selection_(selection) {}

    void connect(Switchboard& board) override;

    /// Every frame: follows what is looked for, and takes what was found.
    void update() override;
    bool is_busy() const override { return state_.search.is_waiting || finding_.is_busy(); }
    void describe(nlohmann::json& report) const override;

private:
    void ask_in_sql(Requests& requests);
    bool is_asked(const Timeline* timeline) const;

    AppState& state_;
    Selection& selection_;
    Job<Emphasis> finding_;
    std::shared_ptr<const Timeline> timeline_;  ///< in which it looks; null while it does not
    std::string text_;
};

}  // namespace snapviewer
