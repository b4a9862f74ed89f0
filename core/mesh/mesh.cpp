#include "core/mesh/mesh.h"

#include <future>

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

Result<Mesh> build_mesh(const Timeline& timeline, Progress& progress, const MeshOptions& options) {
    Mesh mesh;
    mesh.straight = timeline.has_recorded_paths();
    if (mesh.straight) {
        const Status built = mesh_detail::build_straight(timeline, mesh, progress);
        if (!built) return built.error();
        return mesh;
    }
    std::future<Result<StackIndex>> far_builder =
        std::async(std::launch::async, [&] { return build_stack_index(timeline, progress); });
    const Status built = mesh_detail::build_stacked(timeline, mesh, options.record_budget_bytes, progress);
    Result<StackIndex> far = far_builder.get();
    if (!built) return built.error();
    if (!far) return far.error();
    mesh.far = std::move(*far);
    return mesh;
}

}  // namespace snapviewer
