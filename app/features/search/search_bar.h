#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/features/emphasis.h"
#include "app/features/requests.h"

namespace snapviewer {

struct SearchScene {
    const Timeline& timeline;
    AllocationId selected;
    std::optional<std::uint32_t> cursor_tick;  ///< the moment under the mouse, if the mouse is over the picture
    std::string why_no_sql;                    ///< why the search cannot be expressed in SQL; empty if it can
};

/// Draws a row above the picture: the search field, the number of hits or an error, buttons for the previous and next hit,
/// for a list of hits and for SQL, and a help on the search syntax.
void draw_search_bar(SearchState& state, const SearchScene& scene, Requests& requests);

/// Number of hits and their bytes: "3 of 176  ·  at the peak 1.5 GiB in 3", or a sentence if there are no hits.
std::string hits_text(const SearchState& state, const SearchScene& scene);

}  // namespace snapviewer
