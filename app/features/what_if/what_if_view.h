#pragma once

#include "app/features/requests.h"
#include "app/features/what_if/state.h"

namespace snapviewer {

/// A window over the panels, drawn while it is open: whether the recording can be repeated, what other settings or another
/// card would have done, and what the settings do that people try.
void draw_what_if_window(WhatIfState& state, Requests& requests);

}  // namespace snapviewer
