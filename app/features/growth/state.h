#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "app/features/details/stacks.h"
#include "core/timeline/timeline.h"
#include "core/timeline/totals.h"

namespace snapviewer {

/// Id of the page; see DockRow::id.
inline constexpr std::string_view k_growth_page = "growth";

/// State of the two flags on the time axis that persists between frames, with the allocations that were made between the
/// flags and are still alive.
struct GenerationState {
    bool is_chosen = false;              ///< true if the growth page shows the flags instead of the training steps
    bool is_drawn = false;               ///< true if the flags are drawn in the timeline
    const Timeline* timeline = nullptr;  ///< the timeline that contains the flags; compared, but never dereferenced
    TickRange flags;
    std::vector<std::uint32_t> edges;  ///< ticks of the boundaries of training steps, to which flags snap
    std::optional<TickRange> listed;   ///< range for which `left` was computed
    StackList left;
    std::optional<StackId> chosen;  ///< the highlighted stack
};

}  // namespace snapviewer
