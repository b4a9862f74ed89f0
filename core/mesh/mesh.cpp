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

std::future<Result<StackIndex>> begin_stack_index(const DeviceTrace& trace, Progress& progress) {
    if (!trace.recorded_paths.ends.empty()) return {};
    return begin_beside([&] { return build_stack_index(trace, progress); });
}

Result<Mesh> build_mesh(const Timeline& timeline, Progress& progress) {
    return build_mesh(timeline, begin_stack_index(timeline.trace(), progress), progress);
}

Result<Mesh> build_mesh(const Timeline& timeline, std::future<Result<StackIndex>> index, Progress& progress) {
    if (timeline.has_recorded_paths()) return build_path_mesh(timeline, progress);
    Result<StackIndex> built = index.get();
    if (!built) return built.error();
    Mesh mesh;
    mesh.index = std::move(*built);
    return mesh;
}

}  // namespace snapviewer
