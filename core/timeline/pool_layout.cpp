#include "core/timeline/pool_layout.h"

#include "core/timeline/timeline.h"

#include <algorithm>

namespace snapviewer::pool_detail {

std::uint32_t Polygons::place(std::uint64_t step, std::uint64_t offset_bytes) {
    const auto polygon = static_cast<std::uint32_t>(paths_.size());
    paths_.push_back({{step, offset_bytes}});
    ended_.push_back(false);
    ++point_count_;
    if (polygon >= initial_count_) {
        actions_.push_back(AllocationId{polygon});
        action_steps_.push_back(step);
    }
    return polygon;
}

std::uint32_t Polygons::begin(const AllocationColumns& from, std::uint32_t row, std::uint64_t step,
                              std::uint64_t offset_bytes) {
    allocations_.push(from.row(row));
    return place(step, offset_bytes);
}

std::uint32_t Polygons::begin_unused(std::uint16_t pool, std::uint16_t stream, std::uint64_t size_bytes, std::uint64_t step,
                                     std::uint64_t offset_bytes) {
    allocations_.push({.size_bytes = size_bytes, .stream = stream, .pool = pool, .origin = Origin::derived});
    return place(step, offset_bytes);
}

void Polygons::end(std::uint32_t polygon, std::uint64_t step) {
    paths_[polygon].push_back({step, paths_[polygon].back().offset_bytes});
    ended_[polygon] = true;
    if (allocations_.origin[polygon] == Origin::derived) allocations_.state[polygon] = AllocationState::freed;
    ++point_count_;
    actions_.push_back(AllocationId{polygon});
    action_steps_.push_back(step);
}

void Polygons::slide(std::uint32_t polygon, std::uint64_t step, std::int64_t by_bytes) {
    std::vector<PathPoint>& path = paths_[polygon];
    const std::uint64_t from_bytes = path.back().offset_bytes;
    path.push_back({step, from_bytes});
    path.push_back({step + Timeline::k_slide_steps, from_bytes + static_cast<std::uint64_t>(by_bytes)});
    point_count_ += 2;
}

void Polygons::write(DeviceTrace& trace, std::uint64_t end_step) {
    trace.initial_count = std::min(initial_count_, static_cast<std::uint32_t>(paths_.size()));
    trace.recorded_paths.points.reserve(point_count_ + paths_.size());
    for (std::size_t i = 0; i < paths_.size(); ++i) {
        if (!ended_[i]) paths_[i].push_back({end_step, paths_[i].back().offset_bytes});
        trace.recorded_paths.points.insert(trace.recorded_paths.points.end(), paths_[i].begin(), paths_[i].end());
        trace.recorded_paths.ends.push_back(trace.recorded_paths.points.size());
    }
    trace.allocations = std::move(allocations_);
    trace.actions = std::move(actions_);
    trace.action_steps = std::move(action_steps_);
    trace.end_step = end_step;
}

std::uint64_t Envelope::wanted_bytes(std::uint64_t more_bytes) const {
    const std::uint64_t reserved = reserved_bytes > 0 ? static_cast<std::uint64_t>(reserved_bytes) : 0;
    return std::max({size_bytes, active_bytes + more_bytes, reserved});
}

void Envelope::use(std::uint64_t size, std::uint64_t step, Polygons& polygons) {
    while (size > 0 && !unused.empty()) {
        const Unused piece = unused.front();
        unused.pop_front();
        if (piece.polygon != Unused::k_not_drawn) polygons.end(piece.polygon, step);
        if (piece.size_bytes > size) unused.push_front({piece.size_bytes - size});
        size -= std::min(size, piece.size_bytes);
    }
}

void Envelope::draw_unused(std::uint64_t step, Polygons& polygons) {
    std::uint64_t at_bytes = offset_bytes + active_bytes;
    for (Unused& piece : unused) {
        if (piece.polygon == Unused::k_not_drawn)
            piece.polygon = polygons.begin_unused(pool, stream, piece.size_bytes, step, at_bytes);
        at_bytes += piece.size_bytes;
    }
}

void Envelope::slide(std::uint64_t step, std::int64_t by_bytes, Polygons& polygons) {
    offset_bytes += static_cast<std::uint64_t>(by_bytes);
    for (const std::uint32_t stripe : stripes) polygons.slide(stripe, step, by_bytes);
    for (const Unused& piece : unused) polygons.slide(piece.polygon, step, by_bytes);
}

}  // namespace snapviewer::pool_detail
