#pragma once

#include <vector>

#include "app/features/app_state.h"
#include "app/features/selection/selection.h"
#include "app/ui/feature.h"

namespace snapviewer {

/// What changed between two marks of the picture on the screen: the ends of the ruler, and the flags of the page of what
/// grows. Worked out when a mark moves. Main thread.
class MomentMarks : public Feature {
public:
    /// Both outlive this.
    MomentMarks(AppState& state, Selection& selection) : state_(state), selection_(selection) {}

    /// Every frame.
    void update() override;
    /// Lets some of it stand out in the picture.
    void emphasise(const EmphasiseChange& asked);
    void connect(Switchboard& board) override;
    void leave() override;
    void describe(nlohmann::json& report) const override;

private:
    void follow_ruler();
    void follow_flags();
    std::vector<AllocationId> allocations_of(ChangeKind change) const;

    AppState& state_;
    Selection& selection_;
};

}  // namespace snapviewer
