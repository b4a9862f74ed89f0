#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/timeline/live_totals.h"

namespace snapviewer {

enum class LiveColumn : std::uint8_t { bytes, share, count, stack };

/// What is alive at one moment, by stack, between two frames. Worked out again only when the moment changes.
struct LiveListState {
    const Timeline* timeline = nullptr;  ///< only compared, never read
    std::uint32_t tick = 0;
    std::vector<StackTotal> totals;
    std::vector<std::string> names;  ///< parallel to totals
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;

    LiveColumn sorted_by = LiveColumn::bytes;
    bool is_descending = true;
    std::string filter;                ///< a part of the name
    std::vector<std::uint32_t> order;  ///< of totals, as shown
    bool is_narrow = false;            ///< the share is a bar behind the bytes, and the count is left to the tooltip
};

}  // namespace snapviewer
