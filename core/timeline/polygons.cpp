#include "core/timeline/polygons.h"

#include <algorithm>
#include <span>

#include "core/base/context.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_group_size = 16;

std::vector<std::uint32_t> group_minima(const std::vector<std::uint32_t>& values) {
    std::vector<std::uint32_t> least;
    least.reserve(values.size() / k_group_size + 1);
    for (std::size_t i = 0; i < values.size(); i += k_group_size) {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(i);
        least.push_back(
            *std::min_element(first, first + static_cast<std::ptrdiff_t>(std::min(k_group_size, values.size() - i))));
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
    min_freed_.push_back(std::move(freed));
    while (min_freed_.back().size() > k_group_size) min_freed_.push_back(group_minima(min_freed_.back()));

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
        const std::vector<std::uint32_t>& least = min_freed_[level];
        const std::size_t end = std::min(least.size(), (at / k_group_size + 1) * k_group_size);
        while (at < end && least[at] >= id) ++at;
        if (at < end && level == 0) return at;
        if (at < end) {
            --level;
            at *= k_group_size;
        } else if (at == least.size()) {
            return min_freed_.front().size();
        } else {
            ++level;
            at /= k_group_size;
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
        low -= sizes[min_freed_.front()[at]];
        points.push_back({timeline_.step_of_tick(tick) + Timeline::k_slide_steps, low});
    }
    points.push_back({timeline_.end_step(id), low});
}

namespace {

constexpr std::size_t k_moves_between_looks = std::size_t{1} << 20;

/// Stacks the allocations, action by action, and compares each computed point with the recorded polygons.
class StackOfPolygons {
public:
    explicit StackOfPolygons(const DeviceTrace& trace)
        : trace_(trace), at_(trace.allocations.size()), low_bytes_(trace.allocations.size()) {
        for (std::size_t id = 1; id < at_.size(); ++id) at_[id] = trace.recorded_paths.ends[id - 1];
    }

    bool holds() {
        for (std::uint32_t id = 0; id < trace_.initial_count; ++id) {
            if (!begins(id, 0)) return false;
        }
        std::uint64_t free_from = 0;  // first step after the end of the previous action
        for (std::size_t i = 0; i < trace_.actions.size(); ++i) {
            const std::uint32_t id = trace_.actions[i].value;
            const std::uint64_t step = trace_.action_steps[i];
            if (step < free_from) return false;
            const auto found = std::ranges::lower_bound(live_, id);
            const bool ends_one = found != live_.end() && *found == id;
            if (!(ends_one ? ends(found, step) : begins(id, step))) return false;
            const std::uint64_t end_takes = has_moved_ ? Timeline::k_slide_steps : 0;
            free_from = step + (ends_one ? end_takes : 1);
        }
        // A polygon with remaining points differs from the computed one.
        return free_from <= trace_.end_step &&
               std::ranges::all_of(live_, [&](std::uint32_t id) { return is_next(id, trace_.end_step); }) &&
               std::ranges::equal(at_, trace_.recorded_paths.ends);
    }

private:
    /// Consumes the next point of a polygon. Returns true if it is at `step` and at the allocation's present offset.
    bool is_next(std::uint32_t id, std::uint64_t step) {
        const RecordedPaths& paths = trace_.recorded_paths;
        return at_[id] < paths.ends[id] && paths.points[at_[id]++] == PathPoint{step, low_bytes_[id]};
    }

    bool begins(std::uint32_t id, std::uint64_t step) {
        if (!live_.empty() && live_.back() >= id) return false;
        live_.push_back(id);
        low_bytes_[id] = total_bytes_;
        total_bytes_ += trace_.allocations.size_bytes[id];
        return is_next(id, step);
    }

    bool ends(std::vector<std::uint32_t>::iterator found, std::uint64_t step) {
        const std::uint32_t id = *found;
        const std::uint64_t size_bytes = trace_.allocations.size_bytes[id];
        if (!is_next(id, step)) return false;
        const auto above = live_.erase(found);
        has_moved_ = above != live_.end();
        moves_ += static_cast<std::size_t>(live_.end() - above);
        if (moves_ >= k_moves_between_looks) {
            moves_ = 0;
            check_stop();
        }
        total_bytes_ -= size_bytes;
        return std::all_of(above, live_.end(), [&](std::uint32_t higher) {
            if (!is_next(higher, step)) return false;
            low_bytes_[higher] -= size_bytes;
            return is_next(higher, step + Timeline::k_slide_steps);
        });
    }

    const DeviceTrace& trace_;
    std::vector<std::uint64_t> at_;  ///< index of the next point, by allocation
    std::vector<std::uint64_t> low_bytes_;
    std::vector<std::uint32_t> live_;  ///< live allocations by ascending id, that is, from the bottom up
    std::uint64_t total_bytes_ = 0;
    bool has_moved_ = false;  ///< true if something lay above the allocation that ended last
    std::size_t moves_ = 0;
};

}  // namespace

bool are_stacked(const DeviceTrace& trace) {
    // If no allocation starts or ends, only the polygons show how long the picture is, so they must be kept.
    const bool is_whole = trace.recorded_paths.ends.size() == trace.allocations.size() && !trace.actions.empty() &&
                          trace.action_steps.size() == trace.actions.size();
    return is_whole && StackOfPolygons(trace).holds();
}

}  // namespace snapviewer
