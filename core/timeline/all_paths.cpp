#include "core/timeline/all_paths.h"

#include <algorithm>

namespace snapviewer {
namespace {

constexpr std::size_t k_stretch = 16;

std::vector<std::uint32_t> least_of_stretches(const std::vector<std::uint32_t>& values) {
    std::vector<std::uint32_t> least;
    least.reserve(values.size() / k_stretch + 1);
    for (std::size_t i = 0; i < values.size(); i += k_stretch) {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(i);
        least.push_back(
            *std::min_element(first, first + static_cast<std::ptrdiff_t>(std::min(k_stretch, values.size() - i))));
    }
    return least;
}

}  // namespace

AllPaths::AllPaths(const Timeline& timeline) : timeline_(timeline) {
    if (timeline.has_recorded_paths()) return;
    std::vector<std::uint32_t> freed;
    for (std::uint32_t tick = 1; tick + 1 < timeline.tick_count(); ++tick) {
        if (!timeline.is_free(tick)) continue;
        free_ticks_.push_back(tick);
        freed.push_back(timeline.allocation_at_tick(tick).value);
    }
    least_freed_.push_back(std::move(freed));
    while (least_freed_.back().size() > k_stretch) least_freed_.push_back(least_of_stretches(least_freed_.back()));

    std::uint64_t low = 0;
    for (std::uint32_t id = 0; id < timeline.trace().initial_count; ++id) {
        initial_low_bytes_.push_back(low);
        low += timeline.trace().allocations.size_bytes[id];
    }
}

/// Returns the index of the first free at or after index `at` that frees an allocation with an id below `id`, or the number
/// of frees if there is none. O(log frees).
std::size_t AllPaths::next_freed_below(std::size_t at, std::uint32_t id) const {
    std::size_t level = 0;
    while (true) {
        const std::vector<std::uint32_t>& least = least_freed_[level];
        const std::size_t end = std::min(least.size(), (at / k_stretch + 1) * k_stretch);
        while (at < end && least[at] >= id) ++at;
        if (at < end && level == 0) return at;
        if (at < end) {
            --level;
            at *= k_stretch;
        } else if (at == least.size()) {
            return least_freed_.front().size();
        } else {
            ++level;
            at /= k_stretch;
        }
    }
}

void AllPaths::read(AllocationId id, std::vector<PathPoint>& points) const {
    points.clear();
    if (timeline_.has_recorded_paths()) {
        const std::span<const PathPoint> recorded = timeline_.recorded_path(id);
        points.assign(recorded.begin(), recorded.end());
        return;
    }
    const std::vector<std::uint64_t>& sizes = timeline_.trace().allocations.size_bytes;
    const std::uint32_t first_tick = timeline_.first_tick(id);
    // A new allocation is drawn on top of all live ones, so its lower edge is the total before it.
    std::uint64_t low =
        first_tick == 0 ? initial_low_bytes_[id.value] : timeline_.total_after_tick(first_tick) - sizes[id.value];
    points.push_back({timeline_.step_of_tick(first_tick), low});
    const auto during_life = std::ranges::upper_bound(free_ticks_, first_tick);
    auto at = static_cast<std::size_t>(during_life - free_ticks_.begin());
    for (; (at = next_freed_below(at, id.value)) < free_ticks_.size(); ++at) {
        const std::uint32_t tick = free_ticks_[at];
        if (tick >= timeline_.last_tick(id)) break;
        points.push_back({timeline_.step_of_tick(tick), low});
        low -= sizes[least_freed_.front()[at]];
        points.push_back({timeline_.step_of_tick(tick) + Timeline::k_slide_steps, low});
    }
    points.push_back({timeline_.end_step(id), low});
}

}  // namespace snapviewer
