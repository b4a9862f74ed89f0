#include "core/timeline/drawing_order.h"

#include <algorithm>

namespace snapviewer {
namespace {

void reserve(AllocationColumns& columns, std::size_t count) {
    columns.address.reserve(count);
    columns.size_bytes.reserve(count);
    columns.stream.reserve(count);
    columns.pool.reserve(count);
    columns.origin.reserve(count);
    columns.state.reserve(count);
    columns.alloc_event.reserve(count);
    columns.free_event.reserve(count);
    columns.stack.reserve(count);
}

void append(AllocationColumns& columns, const FoundAllocation& found) {
    columns.address.push_back(found.address);
    columns.size_bytes.push_back(found.size_bytes);
    columns.stream.push_back(found.stream);
    columns.pool.push_back(found.pool);
    columns.origin.push_back(found.origin);
    columns.state.push_back(found.state);
    columns.alloc_event.push_back(found.alloc_event);
    columns.free_event.push_back(found.free_event);
    columns.stack.push_back(found.stack);
}

}  // namespace

void DrawingOrder::write(DeviceTrace& trace) {
    std::ranges::reverse(before_first_event_);
    if (actions_.empty() && !before_first_event_.empty()) {
        actions_.push_back(before_first_event_.back());
        before_first_event_.pop_back();
    }
    trace.initial_count = static_cast<std::uint32_t>(before_first_event_.size());
    reserve(trace.allocations, found_.size());
    std::vector<AllocationId> drawn_as(found_.size(), AllocationId::none());
    const auto place = [&](std::uint32_t number) {
        if (drawn_as[number].is_some()) return;
        drawn_as[number] = AllocationId{static_cast<std::uint32_t>(trace.allocations.size())};
        append(trace.allocations, found_[number]);
    };
    for (const std::uint32_t number : before_first_event_) place(number);
    trace.actions.reserve(actions_.size());
    for (const std::uint32_t number : actions_) {
        place(number);
        trace.actions.push_back(drawn_as[number]);
    }
}

}  // namespace snapviewer
