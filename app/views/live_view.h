#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/state/requests.h"
#include "core/timeline/live_totals.h"

namespace snapviewer {

/// What is alive at one moment, by stack, between two frames. Worked out again only when the moment changes.
struct LiveListState {
    const Timeline* timeline = nullptr;  ///< only compared, never read
    std::uint32_t tick = 0;
    std::vector<StackTotal> totals;
    std::vector<std::string> names;  ///< parallel to totals; empty until a row was on the screen
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;
};

/// Shows another moment: of another file or device the peak, of the same one `tick` if there is one.
void show_live_at(LiveListState& state, const Timeline& timeline, std::optional<std::uint32_t> tick);

/// The rest of the current window as a list, largest first. A click on a row asks for all of that stack to stand out, and on
/// the row that does, for nothing to. `emphasised` is the stack that stands out, if one does.
void draw_live_view(LiveListState& state, const Timeline& timeline, std::optional<StackId> emphasised, Requests& requests);

/// What a list calls a stack: the innermost line that is somebody's own code, or what there is in place of a stack.
std::string stack_name(const Timeline& timeline, StackId stack);

}  // namespace snapviewer
