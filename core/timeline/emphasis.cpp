#include "core/timeline/emphasis.h"

#include "core/timeline/live_totals.h"

namespace snapviewer {

std::optional<AllocationId> Emphasis::next(AllocationId from) const {
    const std::size_t size = bits_.size();
    if (count_ == 0) return std::nullopt;
    std::size_t at = from.is_some() ? from.value : size - 1;
    do {
        at = (at + 1) % size;
    } while (!bits_[at]);
    return AllocationId{static_cast<std::uint32_t>(at)};
}

std::optional<AllocationId> Emphasis::previous(AllocationId from) const {
    const std::size_t size = bits_.size();
    if (count_ == 0) return std::nullopt;
    std::size_t at = from.is_some() ? from.value : 0;
    do {
        at = (at + size - 1) % size;
    } while (!bits_[at]);
    return AllocationId{static_cast<std::uint32_t>(at)};
}

LiveShare Emphasis::live_at(const Timeline& timeline, std::uint32_t tick) const {
    LiveShare share;
    if (count_ == 0) return share;
    for (const AllocationId id : timeline.live_after_tick(tick)) {
        if (!contains(id)) continue;
        ++share.count;
        share.bytes += timeline.trace().allocations.size_bytes[id.value];
    }
    return share;
}

Emphasis emphasise_stack(const Timeline& timeline, StackId stack) {
    const AllocationColumns& allocations = timeline.trace().allocations;
    return Emphasis::where(allocations.size(), [&](AllocationId id) { return making_stack(allocations, id) == stack; });
}

}  // namespace snapviewer
