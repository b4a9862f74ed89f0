#pragma once

#include <algorithm>
#include <bit>

#include "core/mesh/mesh.h"

/// Shared by the two ways of building a mesh; not for users of the mesh.
namespace snapviewer::mesh_detail {

/// Records that a chunk should hold when few allocations are live: large enough that the pieces' ends cost little, small
/// enough that a window at the nearest zoom does not draw much outside itself.
inline constexpr std::size_t k_chunk_records = 16384;

inline Record make_record(const Mesh& mesh, std::uint32_t flags, std::uint32_t tick_in_chunk, std::uint32_t piece_in_chunk,
                          std::uint64_t low_bytes) {
    return {flags | tick_in_chunk << mesh.piece_bits | piece_in_chunk, static_cast<std::uint32_t>(low_bytes)};
}

/// Ticks that a chunk may span.
inline std::uint32_t tick_limit(const Mesh& mesh) { return (1U << (Record::k_place_bits - mesh.piece_bits)) - 1; }

inline constexpr std::uint32_t k_most_piece_bits = 24;

/// Bits that number the pieces of any chunk, given how many allocations are live at once at most: those and as many that
/// begin within the chunk, but no fewer than leave a chunk about as many ticks as pieces.
inline std::uint32_t piece_bits_for(std::size_t most_live) {
    return std::max(15U, static_cast<std::uint32_t>(std::bit_width(2 * most_live)));
}

/// Records up to the next group border.
inline std::uint32_t padded(std::uint32_t record_count) {
    return (record_count + k_group_records - 1) / k_group_records * k_group_records;
}

/// A stretch of ticks before its records are written: where they will go.
struct ChunkPlan {
    Chunk chunk;
    std::uint32_t first_piece = 0;
    std::uint32_t piece_count = 0;
};

/// Gives every chunk its place in the mesh's arrays and makes room for it.
void reserve_chunks(Mesh& mesh, std::vector<ChunkPlan>& plans, bool has_high_words);

/// Polygons computed from starts and ends; none where their records would take more than the budget.
Status build_stacked(const Timeline& timeline, Mesh& mesh, std::uint64_t record_budget_bytes, Progress& progress);
/// Polygons that the file gives.
Status build_straight(const Timeline& timeline, Mesh& mesh, Progress& progress);

inline Error too_many_live() {
    return {ErrorCode::unsupported,
            "more than 8 million allocations are live at the same time, which is more than can be drawn",
            {},
            {}};
}

}  // namespace snapviewer::mesh_detail
