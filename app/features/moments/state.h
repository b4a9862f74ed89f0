#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "app/features/details/stack_list.h"
#include "app/features/requests.h"
#include "app/features/side_page.h"
#include "core/timeline/moment_changes.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// What changed between the two ends of the ruler, between two frames. Worked out again only when one of them moves.
struct MomentsState {
    const Timeline* timeline = nullptr;  ///< only compared, never read; null without a ruler
    TickRange range;
    std::array<StackList, 3> lists;  ///< by ChangeKind: what came, went, stayed
    ChangeKind shown = ChangeKind::came;
    std::optional<StackId> chosen;  ///< of what is shown, the stack that stands out
    bool is_measuring = false;      ///< the ruler is still being drawn
    SidePage page_before = SidePage::live;

    const StackList& list(ChangeKind kind) const { return lists[static_cast<std::size_t>(kind)]; }
};

}  // namespace snapviewer
