#include "core/mesh/mesh.h"

#include <utility>

#include "core/base/worker.h"
#include "core/mesh/path_mesh.h"

namespace snapviewer {

std::uint64_t Mesh::memory_bytes() const {
    return records.size() * sizeof(Record) + high_words.size() * sizeof(std::uint32_t) + groups.size() * sizeof(ChunkBase) +
           pieces.size() * sizeof(std::uint32_t) + chunks.size() * sizeof(Chunk) +
           own_tick_steps.size() * sizeof(std::uint64_t) + (index ? index->memory_bytes() : 0);
}

std::future<StackIndex> begin_stack_index(const DeviceTrace& trace) {
    if (!trace.recorded_paths.ends.empty()) return {};
    return begin_beside([&] { return build_stack_index(trace); });
}

Mesh build_mesh(const Timeline& timeline) { return build_mesh(timeline, begin_stack_index(timeline.trace())); }

Mesh build_mesh(const Timeline& timeline, std::future<StackIndex> index) {
    if (timeline.has_recorded_paths()) return build_path_mesh(timeline);
    Mesh mesh;
    mesh.index = index.get();
    return mesh;
}

}  // namespace snapviewer
