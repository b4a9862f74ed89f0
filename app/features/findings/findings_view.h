#pragma once

#include "app/features/findings/state.h"
#include "app/features/requests.h"

namespace snapviewer {

/// The rest of the current window: what there is to say as long as the answers are not ready. Gives whether they are.
bool draw_until_ready(const FindingsState& state, Requests& requests);

/// The rest of the current window: what is worth looking at of a device, most pressing first, a card for each time that
/// memory ran out. A click on a row asks for its place, a button for its statement in the query pane.
void draw_findings_view(const FindingsState& state, Requests& requests);

}  // namespace snapviewer
