#include <algorithm>
#include <iterator>

#include "core/replay/allocator_model.h"

// The addresses of new segments in the allocator model.
namespace snapviewer {
namespace {

constexpr std::uint64_t k_address_step = std::uint64_t{1} << 30;
constexpr std::uint64_t k_room_for_falling = std::uint64_t{1} << 46;

bool is_vacant(std::uint64_t address, std::uint64_t size_bytes, const AddressSource::Extents& taken) {
    const auto next = taken.lower_bound(address + size_bytes);
    if (next == taken.begin()) return true;
    const auto& [base, size] = *std::prev(next);
    return base + size <= address;
}

}  // namespace

AddressSource::AddressSource(std::uint64_t top, AddressOrder order)
    : next_(round_up_to(top, k_address_step) + k_address_step), is_falling_(order == AddressOrder::down) {
    if (is_falling_) next_ += k_room_for_falling;
}

std::uint64_t AddressSource::fresh(std::uint64_t size_bytes) {
    size_bytes = round_up_to(size_bytes, k_large_round_bytes);
    if (is_falling_) return next_ -= size_bytes;
    next_ += size_bytes;
    return next_ - size_bytes;
}

std::uint64_t AddressSource::segment(std::uint64_t size_bytes, const Extents& taken) {
    const auto hint = std::ranges::find_if(
        hints, [&](const auto& it) { return it.second == size_bytes && is_vacant(it.first, size_bytes, taken); });
    if (hint == hints.end()) return fresh(size_bytes);
    const std::uint64_t address = hint->first;
    hints.erase(hint);
    return address;
}

std::uint64_t AddressSource::room_above(std::uint64_t base) const {
    const auto above = std::ranges::upper_bound(bounds, base);
    return above == bounds.end() ? k_unlimited_bytes : *above - base;
}

std::pair<std::uint64_t, std::uint64_t> AddressSource::reservation(const ModelPool& pool, std::uint64_t stream,
                                                                   std::uint64_t page, std::uint64_t size_bytes,
                                                                   const Extents& taken) {
    if (const auto row = bases.find({pool.id, pool.is_small, stream}); row != bases.end() && !row->second.empty()) {
        const std::uint64_t base = row->second.front();
        const std::uint64_t clipped = std::min(size_bytes, room_above(base)) / page * page;
        if (clipped > 0 && is_vacant(base, clipped, taken)) {
            row->second.pop_front();
            return {base, clipped};
        }
    }
    return {fresh(size_bytes), size_bytes};
}

}  // namespace snapviewer
