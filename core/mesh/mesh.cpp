#include "core/mesh/mesh.h"

#include <utility>

#include "core/base/worker.h"
#include "core/mesh/build.h"

namespace snapviewer {

std::uint64_t Mesh::memory_bytes() const {
    return records.size() * sizeof(Record) + high_words.size() * sizeof(std::uint32_t) + groups.size() * sizeof(ChunkBase) +
           pieces.size() * sizeof(std::uint32_t) + chunks.size() * sizeof(Chunk) +
           own_tick_steps.size() * sizeof(std::uint64_t) + (far ? far->memory_bytes() : 0);
}

void mesh_detail::reserve_chunks(Mesh& mesh, std::vector<ChunkPlan>& plans, bool has_high_words) {
    std::uint32_t records = 0;
    std::uint32_t pieces = 0;
    for (ChunkPlan& plan : plans) {
        plan.chunk.first_record = records;
        plan.first_piece = pieces;
        records += padded(plan.chunk.record_count);
        pieces += plan.piece_count;
        mesh.groups.resize(records / k_group_records, {plan.chunk.first_tick, plan.first_piece});
        mesh.chunks.push_back(plan.chunk);
    }
    mesh.records.resize(records);
    if (has_high_words) mesh.high_words.resize(records);
    mesh.pieces.resize(pieces);
}

std::future<Result<StackIndex>> begin_stack_index(const DeviceTrace& trace, Progress& progress) {
    if (!trace.recorded_paths.ends.empty()) return {};
    return begin_beside([&] { return build_stack_index(trace, progress); });
}

Result<Mesh> build_mesh(const Timeline& timeline, Progress& progress, const MeshOptions& options) {
    return build_mesh(timeline, begin_stack_index(timeline.trace(), progress), progress, options);
}

Result<Mesh> build_mesh(const Timeline& timeline, std::future<Result<StackIndex>> index, Progress& progress,
                        const MeshOptions& options) {
    Mesh mesh;
    mesh.straight = timeline.has_recorded_paths();
    if (mesh.straight) {
        const Status built = mesh_detail::build_straight(timeline, mesh, progress);
        if (!built) return built.error();
        return mesh;
    }
    const Status built = mesh_detail::build_stacked(timeline, mesh, options.record_budget_bytes, progress);
    Result<StackIndex> far = index.get();
    if (!built) return built.error();
    if (!far) return far.error();
    mesh.far = std::move(*far);
    return mesh;
}

}  // namespace snapviewer
