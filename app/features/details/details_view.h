#pragma once

#include <string>

#include "app/features/details/state.h"
#include "app/features/requests.h"
#include "core/timeline/overlays.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Makes the texts of an allocation unless they are there already; true if it did. Its sections are then still to be asked
/// for.
bool keep_details(DetailsState& state, const Timeline& timeline, const Overlays& overlays, AllocationId id);

/// Fills the rest of the current window with everything known of an allocation, or with a hint when none is selected.
void draw_details_view(DetailsState& state, const Timeline* timeline, AllocationId selected, Requests& requests);

/// What Ctrl+C copies: the marked line, otherwise everything.
std::string details_clipboard(const DetailsState& state);

}  // namespace snapviewer
