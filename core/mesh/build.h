#pragma once

#include <algorithm>
#include <bit>

#include "core/mesh/mesh.h"

/// Shared by the two ways of building a mesh; not for users of the mesh.
namespace snapviewer::mesh_detail {

/// Records that a chunk should hold when few allocations are live: large enough that the pieces' ends cost little, small
/// enough that a window at the nearest zoom does not draw much outside itself.
inline constexpr std::size_t k_chunk_records = 16384;

/// The smallest unit in which the peak still fits 32 bits.
inline std::uint32_t unit_shift_for(std::uint64_t peak_bytes) {
    const int bits = std::bit_width(peak_bytes);
    return bits > 32 ? static_cast<std::uint32_t>(bits - 32) : 0;
}

inline Record make_record(std::uint32_t flags, std::uint32_t tick_in_chunk, std::uint32_t piece_in_chunk, std::uint32_t low) {
    return {flags | tick_in_chunk << Record::k_tick_shift | piece_in_chunk, low};
}

/// Records up to the next group border.
inline std::uint32_t padded(std::uint32_t record_count) { return (record_count + k_group_records - 1) / k_group_records * k_group_records; }

/// A stretch of ticks before its records are written: where they will go.
struct ChunkPlan {
    Chunk chunk;
    std::uint32_t first_piece = 0;
    std::uint32_t piece_count = 0;
};

/// Gives every chunk its place in the mesh's arrays and makes room for it.
void reserve_chunks(Mesh& mesh, std::vector<ChunkPlan>& plans);

/// Polygons computed from starts and ends.
Status build_stacked(const Timeline& timeline, Mesh& mesh, Progress& progress);
/// Polygons that the file gives.
Status build_straight(const Timeline& timeline, Mesh& mesh, Progress& progress);

inline Error too_many_live() {
    return {ErrorCode::unsupported, "more than 1,000,000 allocations are live at once, which is more than can be drawn", {}, {}};
}
inline Error stopped() { return {ErrorCode::cancelled, "stopped", {}, {}}; }

}  // namespace snapviewer::mesh_detail
