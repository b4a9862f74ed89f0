#include "core/timeline/highest_totals.h"

#include <algorithm>
#include <ranges>

namespace snapviewer {

std::vector<std::uint64_t> highest_totals(const Timeline& timeline, Axis axis, std::size_t parts) {
    std::vector<std::uint64_t> highest(parts, 0);
    if (parts == 0) return highest;
    const std::uint32_t tick_count = timeline.tick_count();
    const auto place = [&](std::uint32_t tick) {
        return axis == Axis::steps ? static_cast<double>(timeline.step_of_tick(tick))
                                   : static_cast<double>(timeline.tick_times_us()[tick]);
    };
    const double end = place(tick_count - 1);
    const auto part_of = [&](std::uint32_t tick) {
        if (end <= 0) return std::size_t{0};
        return std::min(static_cast<std::size_t>(place(tick) / end * static_cast<double>(parts)), parts - 1);
    };
    std::uint32_t begin = 0;  // first tick of this part
    for (std::size_t part = 0; part < parts; ++part) {
        const auto rest = std::views::iota(begin, tick_count);
        const auto after = std::ranges::partition_point(rest, [&](std::uint32_t tick) { return part_of(tick) <= part; });
        const std::uint32_t next = begin + static_cast<std::uint32_t>(after - rest.begin());
        // A total holds until the next tick. The last total of the previous part therefore reaches into this one.
        for (std::uint32_t tick = begin == 0 ? 0 : begin - 1; tick < next; ++tick)
            highest[part] = std::max(highest[part], timeline.total_after_tick(tick));
        begin = next;
    }
    return highest;
}

}  // namespace snapviewer
