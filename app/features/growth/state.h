#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/features/details/stack_list.h"
#include "core/timeline/moment_changes.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Two flags on the axis, and what was born between them and still lives, between two frames.
struct GenerationState {
    bool is_chosen = false;              ///< the page of what grows shows this instead of the training steps
    bool is_drawn = false;               ///< the flags are in the picture
    const Timeline* timeline = nullptr;  ///< that they stand in; only compared, never read
    TickRange flags;
    std::vector<std::uint32_t> edges;  ///< ticks at which training steps begin and end: a flag near one jumps to it
    std::optional<TickRange> listed;   ///< that `left` is of
    StackList left;
    std::optional<StackId> chosen;  ///< the stack that stands out
};

}  // namespace snapviewer
