#pragma once

#include <string>

#include "app/features/search/state.h"
#include "core/mesh/colours.h"
#include "core/timeline/emphasis.h"
#include "core/timeline/timeline.h"

/// Highlights the search results in a timeline. Independent of the GUI.
namespace snapviewer {

/// Repeats the search after the timeline or the search terms have changed. O(allocations). Sets `search.is_waiting` instead
/// of searching if the terms are expensive; SlowSearch then searches in the background.
void update_emphasis(SearchState& search, const Timeline* timeline, const mesh::ColourGroups& groups);
/// Stores a search result, with its number of hits and its bytes, in `search`.
void show_found(SearchState& search, const Timeline& timeline, Emphasis found);
/// Summary of the search result: "3 of 176" if the selected allocation is a hit, else "176 hits", "nothing found" or
/// "searching…". The error message if the search text is invalid.
std::string hits_words(const SearchState& search, AllocationId selected);

}  // namespace snapviewer
