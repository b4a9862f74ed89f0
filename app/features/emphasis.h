#pragma once

#include <string>

#include "app/features/search/state.h"
#include "core/mesh/colour_groups.h"
#include "core/timeline/emphasis.h"
#include "core/timeline/timeline.h"

/// What stands out in a picture, as the search says. No GUI in here.
namespace snapviewer {

/// Looks anew, in another picture or for something else. O(allocations). What would take longer is left waiting for
/// SlowSearch.
void update_emphasis(SearchState& search, const Timeline* timeline, const ColourGroups& groups);
/// Takes what was found.
void show_found(SearchState& search, const Timeline& timeline, Emphasis found);
/// "3 of 176", "176 hits"; in words where there is nothing, or nothing yet. The error, where there is one.
std::string hits_words(const SearchState& search, AllocationId selected);

}  // namespace snapviewer
