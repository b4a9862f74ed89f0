#include "core/mesh/mesh.h"

#include <future>

#include "core/mesh/build.h"

namespace snapviewer {

std::uint64_t Mesh::memory_bytes() const {
    return records.size() * sizeof(Record) + groups.size() * sizeof(ChunkBase) + pieces.size() * sizeof(std::uint32_t) +
           heights.size() * sizeof(std::uint32_t) + chunks.size() * sizeof(Chunk) +
           own_tick_steps.size() * sizeof(std::uint64_t) + (far ? far->memory_bytes() : 0);
}

void mesh_detail::reserve_chunks(Mesh& mesh, std::vector<ChunkPlan>& plans) {
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
    mesh.pieces.resize(pieces);
}

namespace {

/// The top of the picture: the peak, or what the highest recorded polygon reaches.
std::uint64_t highest_byte(const Timeline& timeline) {
    std::uint64_t highest = timeline.peak_bytes();
    if (!timeline.has_recorded_paths()) return highest;
    for (std::uint32_t i = 0; i < timeline.allocation_count(); ++i) {
        const std::uint64_t size_bytes = timeline.trace().allocations.size_bytes[i];
        for (const PathPoint& point : timeline.recorded_path(AllocationId{i}))
            highest = std::max(highest, point.offset_bytes + size_bytes);
    }
    return highest;
}

}  // namespace

Result<Mesh> build_mesh(const Timeline& timeline, Progress& progress, const MeshOptions& options) {
    Mesh mesh;
    mesh.unit_shift = mesh_detail::unit_shift_for(highest_byte(timeline));
    mesh.heights.reserve(timeline.allocation_count());
    for (const std::uint64_t size_bytes : timeline.trace().allocations.size_bytes) {
        mesh.heights.push_back(static_cast<std::uint32_t>(size_bytes >> mesh.unit_shift));
    }
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
