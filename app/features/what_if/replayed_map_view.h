#pragma once

#include "app/features/requests.h"

namespace snapviewer {

struct WhatIfState;

/// Draws reserved memory by address at one moment, with the replay below the recording in the same scale. The moment is the
/// event that was clicked in the curves, else the first request that fails, else the peak. A failing request is outlined
/// where the recording placed it.
void draw_replayed_maps(WhatIfState& state, Requests& requests);

}  // namespace snapviewer
