#pragma once

#include "app/features/compare/compare_view.h"
#include "app/features/requests.h"

namespace snapviewer {

/// The rows of a comparison, sorted by a click on a header. A click on a row asks for its allocations to stand out. `state`
/// has a comparison. Cost per frame: the rows on the screen.
void draw_compare_table(CompareState& state, Requests& requests);

}  // namespace snapviewer
