#pragma once

#include "app/features/compare/compare_view.h"
#include "app/features/requests.h"

namespace snapviewer {

/// Draws the rows of a comparison. A click on a header sorts, a click on a row requests to highlight its allocations.
/// Precondition: `state` has a comparison. O(rows on the screen) per frame.
void draw_compare_table(CompareState& state, Requests& requests);

}  // namespace snapviewer
