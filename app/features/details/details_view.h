#pragma once

#include <string>

#include "app/features/details/state.h"
#include "app/features/requests.h"
#include "core/timeline/overlays.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Computes the texts of an allocation, unless `state` has them already. Returns true if it did; the caller must then
/// request the sections that are read from the file.
bool keep_details(DetailsState& state, const Timeline& timeline, const Overlays& overlays, AllocationId id);

/// Fills the rest of the current window with the details of the selected allocation, or with a hint if nothing is selected.
void draw_details_view(DetailsState& state, const Timeline* timeline, AllocationId selected, Requests& requests);

/// The text that Ctrl+C copies: the marked line if there is one, else all details.
std::string details_clipboard(const DetailsState& state);

}  // namespace snapviewer
