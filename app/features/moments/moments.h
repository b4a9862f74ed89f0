#pragma once

#include <vector>

#include "app/features/moments/state.h"
#include "app/features/requests.h"
#include "app/features/selection/selection.h"
#include "app/features/session.h"
#include "app/ui/feature.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Computes what changed between two marks of the current picture: the ends of the ruler, and the two flags of the growth
/// page. Recomputes only when a mark moves. Main thread.
class MomentMarks : public Feature {
public:
    /// Keeps references; both must outlive this object.
    MomentMarks(Session& session, Selection& selection) : session_(session), selection_(selection) {}

    /// Called every frame.
    void update() override;
    /// Highlights the allocations of one kind of change in the picture, optionally only those of one stack.
    void emphasise(const EmphasiseChange& asked);
    void connect(Switchboard& board) override;
    void leave() override;
    void describe(nlohmann::json& report) const override;

private:
    void follow_ruler();
    void follow_flags();
    std::vector<AllocationId> allocations_of(ChangeKind change) const;

    Session& session_;
    Selection& selection_;
};

/// Fills the rest of the current window with the allocations that came, went or stayed between the two moments, by stack. A
/// click on one of the three kinds asks to highlight all its allocations; a click on a row, only those of its stack.
void draw_moments_view(MomentsState& state, const Timeline& timeline, Requests& requests);

}  // namespace snapviewer
