#include "app/pending_pieces.h"

#include <algorithm>

namespace snapviewer {
namespace {

constexpr std::size_t k_most_pieces = 400;
constexpr std::uint32_t k_most_ticks = 4000;  // looked at for one allocation

/// Follows the lower edge of an allocation through the ticks of a stretch.
void add_pieces(const Timeline& timeline, const PendingFree& pending, Axis axis, const View& view,
                std::vector<PendingPiece>& pieces) {
    const std::vector<std::uint64_t>& sizes = timeline.trace().allocations.size_bytes;
    const double begin = std::max(pending.from.on(axis), view.x_begin);
    const double end = std::min(pending.to.on(axis), view.x_end);
    const auto size = static_cast<double>(sizes[pending.id.value]);
    const double slide = axis == Axis::steps ? static_cast<double>(Timeline::k_slide_steps) : 0.0;
    const std::uint32_t first = timeline.tick_at(axis, begin);
    double low = 0;
    for (const AllocationId id : timeline.live_after_tick(first)) {
        if (id < pending.id) low += static_cast<double>(sizes[id.value]);
    }
    double x = begin;
    for (std::uint32_t tick = first + 1; tick + 1 < timeline.tick_count() && tick - first < k_most_ticks; ++tick) {
        const double place = place_of_tick(timeline, axis, tick);
        if (place >= end) break;
        const AllocationId id = timeline.allocation_at_tick(tick);
        if (!timeline.is_free(tick) || !(id < pending.id)) continue;
        if (place > x) pieces.push_back({x, place, low, low + size});
        low -= static_cast<double>(sizes[id.value]);
        x = place + slide;
    }
    if (end > x) pieces.push_back({x, end, low, low + size});
}

}  // namespace

std::vector<PendingPiece> pending_pieces(const Timeline& timeline, const std::vector<PendingFree>& pending, Axis axis,
                                         const View& view, double least_width) {
    std::vector<PendingPiece> pieces;
    if (timeline.has_recorded_paths()) return pieces;
    for (const PendingFree& each : pending) {
        const double begin = each.from.on(axis);
        const double end = each.to.on(axis);
        if (begin > view.x_end) break;
        if (end < view.x_begin || end - begin < least_width) continue;
        add_pieces(timeline, each, axis, view, pieces);
        if (pieces.size() >= k_most_pieces) break;
    }
    std::erase_if(pieces, [&view](const PendingPiece& piece) {
        return piece.high_bytes < view.y_begin || piece.low_bytes > view.y_end;
    });
    return pieces;
}

const std::vector<PendingPiece>& PendingCache::of(const Timeline& timeline, const std::vector<PendingFree>& pending,
                                                  Axis axis, const View& view, double least_width) {
    const Key key{axis, view, least_width};
    if (key_ != key) pieces_ = pending_pieces(timeline, pending, axis, view, least_width);
    key_ = key;
    return pieces_;
}

}  // namespace snapviewer
