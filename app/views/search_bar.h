#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>

#include "app/commands.h"
#include "core/timeline/emphasis.h"

namespace snapviewer {

/// The search between two frames: what is looked for, and what of the device on the screen it found.
struct SearchState {
    bool is_open = false;
    bool focus_input = false;  ///< takes the keyboard in the next frame
    std::string text;
    std::optional<StackId> stack;                             ///< one stack, chosen from a list, instead of a text
    std::optional<std::unordered_set<std::uint32_t>> chosen;  ///< allocations chosen in another picture, likewise
    std::optional<std::size_t> group;                         ///< one stream, pool or category from the legend, likewise
    std::string stack_name;                                   ///< what the bar calls it
    std::optional<Emphasis> emphasis;                         ///< none while nothing is looked for
    LiveShare at_peak;
};

/// A row above the picture: the field, how much was found, and the way from hit to hit. `cursor_tick` is the moment under
/// the mouse, if it is over the picture.
void draw_search_bar(SearchState& state, const Timeline& timeline, std::optional<std::uint32_t> cursor_tick,
                     Requests& requests);

/// "1,234 allocations, 3 at the peak with 1.5 GiB"; in words when there is nothing.
std::string hits_text(const Timeline& timeline, const SearchState& state, const std::optional<LiveShare>& at_cursor);

}  // namespace snapviewer
