#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/state/requests.h"
#include "app/state/search.h"

namespace snapviewer {

/// A row above the picture: the field, how much was found, and the way from hit to hit. `cursor_tick` is the moment under
/// the mouse, if it is over the picture.
void draw_search_bar(SearchState& state, const Timeline& timeline, std::optional<std::uint32_t> cursor_tick,
                     Requests& requests);

/// "1,234 allocations, 3 at the peak with 1.5 GiB"; in words when there is nothing.
std::string hits_text(const Timeline& timeline, const SearchState& state, const std::optional<LiveShare>& at_cursor);

}  // namespace snapviewer
