#include "core/timeline/live_totals.h"

#include "core/timeline/moment_changes.h"

namespace snapviewer {

std::vector<StackTotal> live_totals_by_stack(const Timeline& timeline, std::uint32_t tick) {
    return totals_by_stack(timeline, timeline.live_after_tick(tick));
}

}  // namespace snapviewer
