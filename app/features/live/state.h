#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/timeline/totals.h"

namespace snapviewer {

/// Id of the page; see DockRow::id.
inline constexpr std::string_view k_live_page = "live";

enum class LiveColumn : std::uint8_t { bytes, share, count, stack };

/// The list of live allocations at one moment, grouped by stack. Recomputed only when the moment changes.
struct LiveListState {
    const Timeline* timeline = nullptr;  ///< the timeline that was listed; only compared, never dereferenced
    std::uint32_t tick = 0;
    std::vector<StackTotal> totals;
    std::vector<std::string> names;  ///< names of the stacks, parallel to `totals`
    std::uint64_t bytes = 0;
    std::uint64_t count = 0;

    LiveColumn sorted_by = LiveColumn::bytes;
    bool is_descending = true;
    std::string filter;                ///< substring that a listed name must contain
    std::vector<std::uint32_t> order;  ///< indices into `totals`, in display order
    /// narrow layout: the share is a bar behind the bytes, and only the tooltip shows the count
    bool is_narrow = false;
};

}  // namespace snapviewer
