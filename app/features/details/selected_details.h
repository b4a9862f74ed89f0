#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "app/features/app_state.h"
#include "app/ui/feature.h"
#include "core/base/job.h"
#include "core/base/result.h"
#include "core/trace/profile_data.h"
#include "core/trace/stack_table.h"

namespace snapviewer {

struct LookedUpDetails {
    std::shared_ptr<DetailSource> source;
    AllocationId id;
    Result<std::vector<DetailSection>> sections;
};

/// Keeps the details of the selected allocation up to date. A worker thread reads the details that only the file contains.
class SelectedDetails : public Feature {
public:
    /// `state` must outlive this object.
    explicit SelectedDetails(AppState& state) : state_(state) {}

    /// Must be called once per frame.
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
