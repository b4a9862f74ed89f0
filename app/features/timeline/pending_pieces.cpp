#include "app/features/timeline/pending_pieces.h"

#include <algorithm>

namespace snapviewer {
namespace {

constexpr std::size_t k_most_pieces = 400;
constexpr std::uint32_t k_most_ticks = 4000;  // maximum number of ticks examined for one allocation

/// Adds pieces along the lower edge of an allocation while its free is pending.
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
    const auto fall_at = [&](std::uint32_t tick) {
        const AllocationId id = timeline.allocation_at_tick(tick);
        return timeline.is_free(tick) && id < pending.id ? static_cast<double>(sizes[id.value]) : 0.0;
    };
    const auto add = [&](double from, double to, double low_from, double low_to) {
        const double left = std::max(from, begin);
        const double right = std::min(to, end);
        if (right <= left) return;
        const auto low_at = [&](double x) { return low_from + (low_to - low_from) * (x - from) / (to - from); };
        pieces.push_back({left, right, low_at(left), low_at(right), size});
    };
    double x = begin;
    low += fall_at(first);  // the slide of the first tick may not have ended yet
    for (std::uint32_t tick = first; tick + 1 < timeline.tick_count() && tick - first < k_most_ticks; ++tick) {
        const double place = place_of_tick(timeline, axis, tick);
        if (place >= end) break;
        const double fall = fall_at(tick);
        if (fall == 0) continue;
        add(x, place, low, low);
        add(place, place + slide, low, low - fall);
        low -= fall;
        x = place + slide;
    }
    add(x, end, low, low);
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
        return piece.low_bytes + piece.size_bytes < view.y_begin || piece.end_low_bytes > view.y_end;
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
