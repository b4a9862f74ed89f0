#include "core/mesh/mesh.h"

#include <algorithm>
#include <numeric>

#include "core/base/job.h"

namespace snapviewer::mesh {

std::uint64_t Mesh::memory_bytes() const { return triangles.memory_bytes() + (index ? index->memory_bytes() : 0); }

std::future<StackIndex> begin_stack_index(const DeviceTrace& trace) {
    if (!trace.recorded_paths.ends.empty()) return {};
    return start_async([&] { return build_stack_index(trace); });
}

Mesh build_mesh(const Timeline& timeline) { return build_mesh(timeline, begin_stack_index(timeline.trace())); }

Mesh build_mesh(const Timeline& timeline, std::future<StackIndex> index) {
    Mesh mesh;
    if (timeline.has_recorded_paths())
        mesh.triangles = build_path_mesh(timeline);
    else
        mesh.index = index.get();
    return mesh;
}

namespace {

/// Returns the distance in bytes that the allocations above the one that a tick frees still have to slide at the place `x`.
std::uint64_t lift_at(const Timeline& timeline, Axis axis, std::uint32_t tick, double x) {
    if (axis == Axis::time || !timeline.is_free(tick)) return 0;
    const double done =
        (x - static_cast<double>(timeline.step_of_tick(tick))) / static_cast<double>(Timeline::k_slide_steps);
    const std::uint64_t size_bytes = timeline.trace().allocations.size_bytes[timeline.allocation_at_tick(tick).value];
    return static_cast<std::uint64_t>(static_cast<double>(size_bytes) * std::clamp(1 - done, 0.0, 1.0));
}

/// Returns the last tick at or before `x`, but never the right edge, which changes nothing.
std::uint32_t last_change_at(const Timeline& timeline, Axis axis, double x) {
    return std::min(timeline.tick_at(axis, x), timeline.tick_count() - 2);
}

struct ShownTick {
    std::uint32_t tick;
    double place;  ///< place on the axis of the moment that the column shows
};

/// Returns the tick with the largest total in a column; if no tick lies in the column or the mesh has no index, the last one
/// before its centre.
ShownTick shown_in_column(const Timeline& timeline, const Mesh& mesh, Axis axis, double x_begin, double x_end) {
    const double centre = std::midpoint(x_begin, x_end);
    if (!mesh.index) return {last_change_at(timeline, axis, centre), centre};
    const std::uint32_t first = last_change_at(timeline, axis, x_begin);
    const std::uint32_t last = last_change_at(timeline, axis, x_end);
    if (first == last) return {first, centre};
    const std::uint32_t tick = mesh.index->peak_tick(first, last);
    return {tick, axis == Axis::time ? x_begin : std::max(x_begin, place_of_tick(timeline, axis, tick))};
}

}  // namespace

std::uint32_t shown_tick(const Timeline& timeline, const Mesh& mesh, Axis axis, double x_begin, double x_end) {
    return shown_in_column(timeline, mesh, axis, x_begin, x_end).tick;
}

ShownMoment shown_moment(const Timeline& timeline, const Mesh& mesh, Axis axis, double x_begin, double x_end) {
    const ShownTick shown = shown_in_column(timeline, mesh, axis, x_begin, x_end);
    const auto lift_bytes = static_cast<double>(lift_at(timeline, axis, shown.tick, shown.place));
    return {shown.tick, lift_bytes > 0 ? timeline.allocation_at_tick(shown.tick) : AllocationId::none(), lift_bytes};
}

std::optional<PlacedAllocation> pick_in_column(const Timeline& timeline, const Mesh& mesh, Axis axis, double x_begin,
                                               double x_end, double offset_bytes) {
    const double centre = std::midpoint(x_begin, x_end);
    if (!mesh.index) return timeline.pick(axis, centre, offset_bytes);
    const double right = place_of_tick(timeline, axis, timeline.tick_count() - 1);
    if (centre < 0 || centre >= right || offset_bytes < 0) return std::nullopt;
    const ShownTick shown = shown_in_column(timeline, mesh, axis, x_begin, x_end);
    return mesh.index->find(timeline.trace().allocations.size_bytes, shown.tick,
                            lift_at(timeline, axis, shown.tick, shown.place), static_cast<std::uint64_t>(offset_bytes));
}

}  // namespace snapviewer::mesh
