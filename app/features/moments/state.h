#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "app/features/details/stacks.h"
#include "app/features/requests.h"
#include "core/timeline/timeline.h"
#include "core/timeline/totals.h"

namespace snapviewer {

/// Id of the page; see DockRow::id.
inline constexpr std::string_view k_moments_page = "moments";

/// Changes between the two ends of the ruler. Recomputed only when one of the ends moves.
struct MomentsState {
    const Timeline* timeline = nullptr;  ///< the measured timeline, null without a ruler; only compared, never dereferenced
    TickRange range;
    std::array<StackList, 3> lists;  ///< allocations by stack, indexed by ChangeKind: came, went, stayed
    ChangeKind shown = ChangeKind::came;
    std::optional<StackId> chosen;  ///< highlighted stack of the kind in `shown`
    bool is_measuring = false;      ///< the user is still dragging the ruler
    std::string_view page_before;   ///< page that was shown before the ruler appeared

    const StackList& list(ChangeKind kind) const { return lists[static_cast<std::size_t>(kind)]; }
};

}  // namespace snapviewer
