#include "core/timeline/emphasis.h"

#include "core/timeline/live_totals.h"

namespace snapviewer {

Emphasis Emphasis::of(std::size_t allocation_count, std::span<const AllocationId> ids) {
    Emphasis emphasis(allocation_count);
    for (const AllocationId id : ids) {
        if (id.value >= allocation_count || emphasis.contains(id)) continue;
        emphasis.words_[id.value / k_word_bits] |= 1U << id.value % k_word_bits;
        ++emphasis.count_;
    }
    return emphasis;
}

std::uint64_t Emphasis::bytes(const Timeline& timeline) const {
    std::uint64_t bytes = 0;
    for (std::uint32_t i = 0; i < allocation_count_; ++i) {
        if (contains(AllocationId{i})) bytes += timeline.trace().allocations.size_bytes[i];
    }
    return bytes;
}

std::optional<AllocationId> Emphasis::next(AllocationId from) const {
    if (count_ == 0) return std::nullopt;
    const auto size = static_cast<std::uint32_t>(allocation_count_);
    AllocationId at = from.is_some() ? from : AllocationId{size - 1};
    do {
        at.value = (at.value + 1) % size;
    } while (!contains(at));
    return at;
}

std::optional<AllocationId> Emphasis::previous(AllocationId from) const {
    if (count_ == 0) return std::nullopt;
    const auto size = static_cast<std::uint32_t>(allocation_count_);
    AllocationId at = from.is_some() ? from : AllocationId{0};
    do {
        at.value = at.value == 0 ? size - 1 : at.value - 1;
    } while (!contains(at));
    return at;
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
