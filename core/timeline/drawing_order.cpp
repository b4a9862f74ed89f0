#include "core/timeline/drawing_order.h"

#include <algorithm>

namespace snapviewer {
void DrawingOrder::write(DeviceTrace& trace) {
    std::ranges::reverse(before_first_event_);
    if (actions_.empty() && !before_first_event_.empty()) {
        actions_.push_back(before_first_event_.back());
        before_first_event_.pop_back();
    }
    trace.initial_count = static_cast<std::uint32_t>(before_first_event_.size());
    trace.allocations.reserve(found_.size());
    std::vector<AllocationId> drawn_as(found_.size(), AllocationId::none());
    const auto place = [&](std::uint32_t number) {
        if (drawn_as[number].is_some()) return;
        drawn_as[number] = AllocationId{static_cast<std::uint32_t>(trace.allocations.size())};
        trace.allocations.push(found_[number]);
    };
    for (const std::uint32_t number : before_first_event_) place(number);
    trace.actions.reserve(actions_.size());
    for (const std::uint32_t number : actions_) {
        place(number);
        trace.actions.push_back(drawn_as[number]);
    }
}

}  // namespace snapviewer
