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
    const Timeline* timeline = nullptr;  ///< null without a timeline; then only the details page is drawn
    AllocationId selected;
    std::optional<StackId> emphasised = {};
};

/// Fills the rest of the current window with the pages of the right column: findings, growth, pins, live allocations,
/// moments, the comparison of two moments while the ruler is visible, and the selection. Selecting an allocation brings its
/// page to the front, except an allocation in the list of pins; clearing the selection does not change the page.
void draw_side_pages(SidePagesState& state, const SidePagesScene& scene, Requests& requests);

}  // namespace snapviewer
