#pragma once

#include <cstdint>
#include <optional>

#include "app/features/details/details_view.h"
#include "app/features/findings/findings_view.h"
#include "app/features/growth/generation_flags.h"
#include "app/features/live/live_view.h"
#include "app/features/moments/moments_view.h"
#include "app/features/pins/pins_view.h"
#include "app/features/side_page.h"

namespace snapviewer {

struct SidePagesScene {
    const FindingsState& findings;
    PinsState& pins;
    LiveListState& live;
    MomentsState& moments;
    GenerationState& generation;
    DetailsState& details;
    const Timeline* timeline = nullptr;  ///< null: only what there is to say of nothing
    AllocationId selected;
    std::optional<StackId> emphasised = {};
};

/// The rest of the current window: what is worth looking at, what grows, what pins memory and what is alive at a moment,
/// what changed between two, while the ruler is there, what is selected. Another selection brings its page to the front,
/// unless it is one of the pins that are listed, and none takes it away.
void draw_side_pages(SidePagesState& state, const SidePagesScene& scene, Requests& requests);

}  // namespace snapviewer
