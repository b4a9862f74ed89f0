#pragma once

#include "app/features/requests.h"

namespace snapviewer {

struct WhatIfState;

/// Reserved memory by address at one moment, the replay's under the recording's in one scale: at the first request that
/// fails, which is outlined where the recording has it, else at the peak, or at the event that was clicked on in the curves.
void draw_replayed_maps(WhatIfState& state, Requests& requests);

}  // namespace snapviewer
