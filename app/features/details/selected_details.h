#pragma once

#include "app/features/app_state.h"
#include "app/features/details/looking_up.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// The texts of what is selected; what only the file itself knows follows from a worker.
class SelectedDetails : public Feature {
public:
    /// `state` outlives this.
    explicit SelectedDetails(AppState& state) : state_(state) {}

    /// Every frame.
    void update() override;
    bool is_busy() const override { return job_.is_busy(); }
    void connect(Switchboard& board) override;
    void leave() override { state_.details = DetailsState{}; }
    void describe(nlohmann::json& report) const override;

private:
    AppState& state_;
    Job<LookedUpDetails> job_;
};

}  // namespace snapviewer
