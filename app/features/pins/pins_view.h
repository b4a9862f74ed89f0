#pragma once

#include "app/features/pins/state.h"
#include "app/features/requests.h"
#include "core/trace/stack_table.h"

namespace snapviewer {

struct FindingsState;

/// Fills the rest of the current window. A click on a row selects its allocation; a button goes to the moment with the most
/// pinned memory. `selected` is outlined in the list.
void draw_pins_view(PinsState& state, const FindingsState& findings, AllocationId selected, Requests& requests);

}  // namespace snapviewer
