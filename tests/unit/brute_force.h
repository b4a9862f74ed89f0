#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/trace/snapshot.h"

namespace snapviewer::test {

/// The polygons of a trace, computed in the simplest way: a list of live polygons, in which every free moves all polygons
/// above.
struct BruteForcePicture {
    std::vector<std::vector<PathPoint>> paths;  ///< indexed by allocation id
    std::uint64_t steps = 0;
    std::uint64_t peak_bytes = 0;
};

inline BruteForcePicture brute_force(const DeviceTrace& trace) {
    BruteForcePicture picture;
    picture.paths.resize(trace.allocations.size());
    std::vector<std::uint32_t> stack;
    std::uint64_t total = 0;
    const auto push = [&](std::uint32_t id) {
        picture.paths[id].push_back({picture.steps, total});
        stack.push_back(id);
        total += trace.allocations.size_bytes[id];
        picture.peak_bytes = std::max(picture.peak_bytes, total);
    };
    for (std::uint32_t id = 0; id < trace.initial_count; ++id) push(id);
    for (const AllocationId action : trace.actions) {
        const auto at = std::find(stack.begin(), stack.end(), action.value);
        if (at == stack.end()) {
            push(action.value);
            ++picture.steps;
            continue;
        }
        ++picture.steps;
        picture.paths[*at].push_back({picture.steps, picture.paths[*at].back().offset_bytes});
        const std::uint64_t size = trace.allocations.size_bytes[*at];
        const auto above = stack.erase(at);
        for (auto it = above; it != stack.end(); ++it) {
            const std::uint64_t low = picture.paths[*it].back().offset_bytes;
            picture.paths[*it].push_back({picture.steps, low});
            picture.paths[*it].push_back({picture.steps + 3, low - size});
        }
        if (above != stack.end()) picture.steps += 3;
        total -= size;
    }
    for (const std::uint32_t id : stack) picture.paths[id].push_back({picture.steps, picture.paths[id].back().offset_bytes});
    return picture;
}

/// Height of a path at a step between its ends.
inline double height_at(const std::vector<PathPoint>& path, double step) {
    std::size_t next = 0;
    while (next < path.size() && static_cast<double>(path[next].step) <= step) ++next;
    if (next == 0) return static_cast<double>(path.front().offset_bytes);
    if (next == path.size()) return static_cast<double>(path.back().offset_bytes);
    const double x0 = static_cast<double>(path[next - 1].step), x1 = static_cast<double>(path[next].step);
    const double y0 = static_cast<double>(path[next - 1].offset_bytes), y1 = static_cast<double>(path[next].offset_bytes);
    return y0 + (y1 - y0) * (step - x0) / (x1 - x0);
}

/// True if both are the same allocation at the same height, within a tolerance of `bytes`, or if both are nullopt.
inline bool is_same_place(const std::optional<PlacedAllocation>& a, const std::optional<PlacedAllocation>& b, double bytes) {
    if (!a || !b) return a.has_value() == b.has_value();
    return a->id == b->id && std::abs(a->low_bytes - b->low_bytes) <= bytes;
}

}  // namespace snapviewer::test
