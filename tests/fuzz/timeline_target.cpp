// Compares timeline, index and mesh of any sequence of events with a brute-force computation.
#include <algorithm>

#include "core/base/context.h"
#include "core/mesh/stack_index.h"
#include "core/timeline/collect.h"
#include "core/trace/snapshot.h"
#include "tests/fuzz/fuzzing.h"
#include "tests/fuzz/made_up_trace.h"
#include "tests/unit/brute_force.h"

namespace snapviewer::fuzz {
namespace {

constexpr std::uint64_t k_exact_in_double = std::uint64_t{1} << 50;

void compare_with_brute_force(const Timeline& timeline) {
    const test::BruteForcePicture expected = test::brute_force(timeline.trace());
    require(timeline.step_count() == expected.steps, "as many steps as by brute force");
    require(timeline.peak_bytes() == expected.peak_bytes, "the peak is that of brute force");
    for (std::uint32_t id = 0; id < timeline.allocation_count(); ++id) {
        const std::vector<PathPoint> path = timeline.path(AllocationId{id});
        require(path == expected.paths[id], "a path is that of brute force");
        const std::uint64_t size = timeline.trace().allocations.size_bytes[id];
        if (size < 2 || expected.peak_bytes > k_exact_in_double || path.front().step == path.back().step) continue;
        const double step = static_cast<double>(path.front().step + path.back().step) / 2;
        const double middle = test::height_at(path, step) + static_cast<double>(size) / 2;
        require(timeline.pick(Axis::steps, step, middle) == AllocationId{id}, "the middle of an allocation is its own");
    }
}

void compare_with_live_list(const Timeline& timeline, const mesh::StackIndex& index) {
    const std::vector<std::uint64_t>& sizes = timeline.trace().allocations.size_bytes;
    std::uint32_t peak = 0;
    for (std::uint32_t tick = 0; tick + 1 < timeline.tick_count(); ++tick) {
        std::uint64_t low = 0;
        for (const AllocationId id : timeline.live_after_tick(tick)) {
            if (sizes[id.value] == 0) continue;
            require(index.find(sizes, tick, 0, low) == id, "the index finds a lower edge");
            low += sizes[id.value];
            require(index.find(sizes, tick, 0, low - 1) == id, "the index finds a last byte");
        }
        require(index.find(sizes, tick, 0, low) == std::nullopt, "the index finds nothing above the top");
        if (timeline.total_after_tick(tick) > timeline.total_after_tick(peak)) peak = tick;
        // The index stores totals in units of 2^unit_shift bytes, so that they fit into 32 bits.
        const std::uint64_t found = timeline.total_after_tick(index.peak_tick(0, tick));
        require(found >> index.unit_shift == timeline.total_after_tick(peak) >> index.unit_shift,
                "the index knows the peak of a range");
    }
}

void compare(const std::shared_ptr<const Snapshot>& snapshot, const std::shared_ptr<const DeviceTrace>& trace) {
    const Timeline timeline = Timeline::build(snapshot, trace);
    if (!timeline.has_recorded_paths()) {
        compare_with_brute_force(timeline);
        const mesh::StackIndex index = mesh::build_stack_index(timeline.trace());
        compare_with_live_list(timeline, index);
    }
    mesh::build_mesh(timeline);
    mesh::build_triangle_mesh(timeline);
}

}  // namespace
}  // namespace snapviewer::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace snapviewer;
    using namespace snapviewer::fuzz;
    ByteFeed feed(data, size);
    const std::shared_ptr<Snapshot> mutable_snapshot = made_up_snapshot(feed);
    limit_values(*mutable_snapshot);
    complete_snapshot(*mutable_snapshot);
    const std::shared_ptr<const Snapshot> snapshot = mutable_snapshot;
    const std::shared_ptr<const DeviceTrace> device(snapshot, &snapshot->devices[0]);
    compare(snapshot, device);
    compare(snapshot, collect_segments(*snapshot, *device));
    if (const auto pools = caught([&] { return collect_pools(*snapshot, *device); })) compare(snapshot, *pools);
    return 0;
}
