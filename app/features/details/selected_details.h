#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "app/features/app_state.h"
#include "app/ui/feature.h"
#include "core/base/ids.h"
#include "core/base/job.h"
#include "core/base/result.h"
#include "core/trace/detail_source.h"

namespace snapviewer {

struct LookedUpDetails {
    std::shared_ptr<DetailSource> source;
    AllocationId id;
    Result<std::vector<DetailSection>> sections;
};

/// The details of the selection. A worker reads the rows that only the file knows.
class SelectedDetails : public Feature {
public:
    /// `state` outlives this.
    explicit SelectedDetails(AppState& state) : state_(state) {}

    /// Call once per frame.
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
