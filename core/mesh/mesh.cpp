#include "core/mesh/mesh.h"

#include <utility>

#include "core/base/job.h"

namespace snapviewer {

std::uint64_t Mesh::memory_bytes() const { return triangles.memory_bytes() + (index ? index->memory_bytes() : 0); }

std::future<StackIndex> begin_stack_index(const DeviceTrace& trace) {
    if (!trace.recorded_paths.ends.empty()) return {};
    return begin_beside([&] { return build_stack_index(trace); });
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

}  // namespace snapviewer
