#pragma once

#include "app/features/findings/findings.h"
#include "app/features/growth/state.h"
#include "app/features/requests.h"
#include "app/features/session.h"
#include "app/features/timeline/timeline_axis.h"
#include "app/ui/feature.h"
#include "core/analysis/steps/steps.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The side page that lists the stacks that grow, and its marks in the picture. Main thread.
class GrowthPage : public Feature {
public:
    /// Keeps a reference; `state` must outlive this object.
    explicit GrowthPage(Session& session) : session_(session) {}

    void connect(Switchboard& board) override;

private:
    void draw_in_picture();

    Session& session_;
};

/// Draws the two flags of the growth page over the timeline. Their handles are below the time axis and can be dragged.
void draw_generation_flags(GenerationState& state, const Projection& canvas, const Timeline& timeline, Axis axis);

/// Fills the rest of the current window with the stacks that grow from training step to training step: leaks first, the
/// largest growth first. Each has a curve of the bytes that it holds after each step. Alternatively lists the allocations
/// that were made between two flags and are still alive. A click on a row requests to highlight its allocations.
void draw_growth_view(const FindingsState& state, GenerationState& generation, const Timeline& timeline, Requests& requests);

/// Draws the training steps over a timeline of their device, as bands with a name at the upper edge. The name of an
/// incomplete step is in a hollow box. Boundaries are dashed if they were inferred instead of recorded by the profiler.
/// O(steps in view).
void draw_step_bands(const Projection& canvas, const Timeline& timeline, Axis axis, const steps::Steps& steps);

}  // namespace snapviewer
