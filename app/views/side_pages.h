#pragma once

#include <cstdint>
#include <optional>

#include "app/views/details_view.h"
#include "app/views/findings_view.h"
#include "app/views/live_view.h"
#include "app/views/moments_view.h"
#include "app/views/picture/generation_flags.h"
#include "app/views/side_page.h"

namespace snapviewer {

/// The right column between two frames.
struct SidePagesState {
    SidePage shown = SidePage::findings;
    std::optional<SidePage> next = SidePage::findings;  ///< comes to the front in the next frame
    AllocationId followed;                              ///< the selection whose page was brought to the front
};

struct SidePagesScene {
    const FindingsState& findings;
    LiveListState& live;
    MomentsState& moments;
    GenerationState& generation;
    DetailsState& details;
    const Timeline* timeline = nullptr;  ///< null: only what there is to say of nothing
    AllocationId selected;
    std::optional<StackId> emphasised = {};
};

/// The rest of the current window: what is worth looking at, what grows, what is alive at a moment, what
/// changed between two, while the ruler is there, what is selected.
/// Another selection brings its page to the front, and none takes it away.
void draw_side_pages(SidePagesState& state, const SidePagesScene& scene, Requests& requests);

}  // namespace snapviewer
