#pragma once

#include "app/features/findings/state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// Fills the rest of the current window with the progress or the error of the analyses while they are not ready. Returns
/// whether they are ready.
bool draw_until_ready(const FindingsState& state, Requests& requests);

/// Fills the rest of the current window with the findings of a device, the most severe first, and a card for each
/// out-of-memory error. A click on a row navigates to its place; a button puts its query into the query pane.
void draw_findings_view(const FindingsState& state, Requests& requests);

}  // namespace snapviewer
