#pragma once

#include "app/features/requests.h"
#include "app/features/what_if/state.h"

namespace snapviewer {

/// Draws a window over the panels while it is open: whether the recording can be replayed, the effect of other settings or
/// of another GPU, and the effect of common settings.
void draw_what_if_window(WhatIfState& state, Requests& requests);

}  // namespace snapviewer
