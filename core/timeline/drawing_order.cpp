#include "core/timeline/drawing_order.h"

namespace snapviewer {

void DrawingOrder::finish() {
    const auto count = static_cast<std::uint32_t>(standing_.size());
    if (count == 0) return;
    const bool is_all = trace_.actions.empty();
    for (AllocationId& id : trace_.actions)
        id = AllocationId{stands(id.value) ? count - 1 - (k_last_number - id.value) : id.value + count};
    trace_.allocations.insert_reversed(standing_);
    trace_.initial_count = is_all ? count - 1 : count;
    if (is_all) trace_.actions.push_back(AllocationId{count - 1});
}

}  // namespace snapviewer
