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
    std::optional<std::uint32_t> cursor_tick;  ///< the moment under the mouse, if it is over the picture
    std::string why_no_sql;                    ///< empty where the search can be asked in SQL
};

/// A row above the picture: the field, how much was found or what is wrong with what was typed, the ways from hit to hit,
/// to a table of them and to SQL, and what may be typed.
void draw_search_bar(SearchState& state, const SearchScene& scene, Requests& requests);

/// "3 of 176  ·  at the peak 1.5 GiB in 3"; in words when there is nothing.
std::string hits_text(const SearchState& state, const SearchScene& scene);

}  // namespace snapviewer
