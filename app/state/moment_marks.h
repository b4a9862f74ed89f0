#pragma once

#include <vector>

#include "app/state/app_state.h"
#include "app/state/selection.h"

namespace snapviewer {

/// What changed between two marks of the picture on the screen: the ends of the ruler, and the flags of the page of what
/// grows. Worked out when a mark moves. Main thread.
class MomentMarks {
public:
    /// Both outlive this.
    MomentMarks(AppState& state, Selection& selection) : state_(state), selection_(selection) {}

    /// To be called every frame.
    void update();
    /// Lets some of it stand out in the picture.
    void emphasise(const EmphasiseChange& asked);

private:
    void follow_ruler();
    void follow_flags();
    std::vector<AllocationId> allocations_of(ChangeKind change) const;

    AppState& state_;
    Selection& selection_;
};

}  // namespace snapviewer
