#include "core/timeline/highest_totals.h"

#include <algorithm>

namespace snapviewer {

std::vector<std::uint64_t> highest_totals(const Timeline& timeline, Axis axis, std::size_t parts) {
    std::vector<std::uint64_t> highest(parts, 0);
    const auto place = [&](std::uint32_t tick) {
        return axis == Axis::steps ? static_cast<double>(timeline.step_of_tick(tick))
                                   : static_cast<double>(timeline.tick_times_us()[tick]);
    };
    const double end = place(timeline.tick_count() - 1);
    const auto part_of = [&](std::uint32_t tick) {
        if (end <= 0) return std::size_t{0};
        return std::min(static_cast<std::size_t>(place(tick) / end * static_cast<double>(parts)), parts - 1);
    };
    if (parts == 0) return highest;
    for (std::uint32_t tick = 0; tick < timeline.tick_count(); ++tick) {
        const std::uint64_t total = timeline.total_after_tick(tick);
        // A total stays until the next tick, in whose part it still is for a moment.
        const std::size_t last = tick + 1 < timeline.tick_count() ? part_of(tick + 1) : parts - 1;
        for (std::size_t part = part_of(tick); part <= last; ++part) highest[part] = std::max(highest[part], total);
    }
    return highest;
}

}  // namespace snapviewer
