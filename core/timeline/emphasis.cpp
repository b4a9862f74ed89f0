#include "core/timeline/emphasis.h"

#include <cmath>
#include <numeric>

#include "core/timeline/totals.h"

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

std::optional<AllocationId> Emphasis::neighbour(AllocationId from, bool forward) const {
    if (count_ == 0) return std::nullopt;
    const auto size = static_cast<std::uint32_t>(allocation_count_);
    AllocationId at = from.is_some() ? from : AllocationId{forward ? size - 1 : 0};
    do {
        at.value = forward ? (at.value + 1) % size : (at.value == 0 ? size : at.value) - 1;
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

namespace {

/// Minimum width and height of a hit in pixels. Smaller hits are marked, and the view zooms in on them.
constexpr double k_min_visible_hit_px = 4;
/// Size of a hit in pixels after zoom_to_hit().
constexpr double k_zoomed_hit_px = 48;

/// A view of a timeline in which small hits are searched.
struct MarkedPicture {
    const Timeline& timeline;
    Axis axis;
    const View& view;
    double x_per_px, bytes_per_px;

    double start(AllocationId id) const { return place_of_tick(timeline, axis, timeline.first_tick(id)); }
    double end(AllocationId id) const { return place_of_tick(timeline, axis, timeline.last_tick(id)); }
    bool is_small(AllocationId id) const {
        const auto size_bytes = static_cast<double>(timeline.trace().allocations.size_bytes[id.value]);
        return end(id) - start(id) < k_min_visible_hit_px * x_per_px || size_bytes < k_min_visible_hit_px * bytes_per_px;
    }
};

}  // namespace

Hits::Hits(const Timeline& timeline, const Emphasis& emphasis) {
    by_id_.reserve(emphasis.count());
    for (std::uint32_t i = 0; i < emphasis.allocation_count(); ++i) {
        if (emphasis.contains(AllocationId{i})) by_id_.push_back(AllocationId{i});
    }
    const auto begin = [&timeline](AllocationId id) { return timeline.first_tick(id); };
    if (std::ranges::is_sorted(by_id_, {}, begin)) return;
    by_start_ = by_id_;
    std::ranges::stable_sort(by_start_, {}, begin);
}

std::optional<std::size_t> Hits::place_of(AllocationId id) const {
    const auto found = std::ranges::lower_bound(by_id_, id);
    if (!id.is_some() || found == by_id_.end() || *found != id) return std::nullopt;
    return static_cast<std::size_t>(found - by_id_.begin());
}

std::vector<std::uint32_t> Hits::columns_of_small(const Timeline& timeline, Axis axis, const View& view,
                                                  const PictureSize& size) const {
    std::vector<std::uint32_t> columns;
    if (by_id_.empty() || size.width_px < 1 || size.height_px < 1) return columns;
    const MarkedPicture picture{timeline, axis, view, view.width() / size.width_px, view.height() / size.height_px};
    if (view.x_begin > 0) {
        const std::vector<AllocationId> live = timeline.live_after_tick(timeline.tick_at(axis, view.x_begin));
        const bool has_small = std::ranges::any_of(
            live, [&](AllocationId id) { return place_of(id) && picture.start(id) < view.x_begin && picture.is_small(id); });
        if (has_small) columns.push_back(0);
    }
    const auto start = [&picture](AllocationId id) { return picture.start(id); };
    const std::span<const AllocationId> by_start = by_start_.empty() ? by_id_ : by_start_;
    auto at = std::ranges::lower_bound(by_start, view.x_begin, {}, start);
    while (at != by_start.end() && start(*at) <= view.x_end) {
        if (!picture.is_small(*at)) {
            ++at;
            continue;
        }
        const double column = std::min(std::floor((start(*at) - view.x_begin) / picture.x_per_px), size.width_px - 1);
        const auto number = static_cast<std::uint32_t>(column);
        if (columns.empty() || columns.back() != number) columns.push_back(number);
        const auto next = std::lower_bound(at, by_start.end(), view.x_begin + (column + 1) * picture.x_per_px,
                                           [&start](AllocationId id, double x) { return start(id) < x; });
        at = std::max(next, at + 1);  // because of rounding, the search may return the same column again
    }
    return columns;
}

View zoom_to_hit(const View& view, const HitRect& hit, const PictureSize& size, const ViewLimits& limits) {
    if (size.width_px < 1 || size.height_px < 1) return view;
    View nearer = view;
    const double life = hit.x_end - hit.x_begin;
    if (life < k_min_visible_hit_px * view.width() / size.width_px) {
        const double width = std::max(limits.min_width, life * size.width_px / k_zoomed_hit_px);
        nearer.x_begin = std::midpoint(hit.x_begin, hit.x_end) - width / 2;
        nearer.x_end = nearer.x_begin + width;
    }
    if (hit.size_bytes < k_min_visible_hit_px * view.height() / size.height_px) {
        const double height = std::max(limits.min_height, hit.size_bytes * size.height_px / k_zoomed_hit_px);
        nearer.y_begin = std::max(0.0, hit.low_bytes + hit.size_bytes / 2 - height / 2);
        nearer.y_end = nearer.y_begin + height;
        // An allocation that lives long slides away from its initial offset, so the view must contain its beginning.
        const double air = 0.1 * nearer.width();
        if (hit.x_begin < nearer.x_begin || hit.x_begin > nearer.x_end - air) {
            const double width = nearer.width();
            nearer.x_begin = hit.x_begin - air;
            nearer.x_end = nearer.x_begin + width;
        }
    }
    return pan_view(nearer, 0, 0, limits);
}

}  // namespace snapviewer
