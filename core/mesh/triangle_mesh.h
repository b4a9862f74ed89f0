#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/mesh/gpu_format.h"
#include "core/timeline/timeline.h"

namespace snapviewer::mesh {

/// A point of the lower edge of an allocation. The edge of an allocation of a recording is flat between two records. If an
/// allocation below it is freed, a record begins a slide of three steps; such a record replaces two points of
/// Timeline::path(). Recorded paths run straight from record to record.
struct Record {
    static constexpr std::uint32_t k_start = gpu_format::k_record_start;  ///< first record of a piece
    static constexpr std::uint32_t k_end = gpu_format::k_record_end;      ///< last record of a piece
    /// Bits below the flags: ticks since the chunk's first tick, then TriangleMesh::piece_bits bits for the piece, counted
    /// from the chunk's first piece.
    static constexpr std::uint32_t k_place_bits = gpu_format::k_record_place_bits;

    std::uint32_t place;
    std::uint32_t
        low_units;  ///< the lower edge from this tick on, in units of 2^TriangleMesh::unit_shift bytes, rounded down
};

/// Records are addressed in groups of this size. A chunk begins at a group border, so that a table of groups leads from a
/// record to its chunk.
inline constexpr std::uint32_t k_group_records = gpu_format::k_group_records;

/// The largest number of records of a mesh: 64 MB.
inline constexpr std::size_t k_max_mesh_records = 8'000'000;

/// The numbers from which the offsets in a group of records are counted.
struct ChunkBase {
    std::uint32_t first_tick = 0;
    std::uint32_t first_piece = 0;
};

/// The records of a stretch of ticks, which can be drawn without those of other chunks.
struct Chunk {
    std::uint32_t first_record = 0;  ///< index of a record; a multiple of k_group_records
    std::uint32_t record_count = 0;
    std::uint32_t first_tick = 0;
    std::uint32_t last_tick = 0;  ///< inclusive; the next chunk begins at this tick
    std::uint64_t low_bytes = 0;  ///< extent of the chunk, for culling
    std::uint64_t high_bytes = 0;
};

/// The polygons of all allocations as triangle strips, which shaders/mesh.vert draws. Built once, uploaded once, immutable.
///
/// An allocation that lives through several chunks has a *piece* in each of them. The pieces of a chunk are in stacking
/// order. Size and colour of allocations are in other tables. The x coordinate of a record is a tick; the shader looks up
/// the place of the tick on the axis of steps.
struct TriangleMesh {
    std::vector<Record> records;
    std::vector<ChunkBase> groups;      ///< base of each group of k_group_records records
    std::vector<std::uint32_t> pieces;  ///< allocation of each piece
    std::vector<Chunk> chunks;          ///< chunks, ascending by tick
    /// Step of each tick, if the mesh has its own ticks. Empty if it uses the timeline's.
    std::vector<std::uint64_t> own_tick_steps;
    /// Number of bits for the piece in Record::place. The more allocations are live at once, the more bits.
    std::uint32_t piece_bits = 20;
    std::uint32_t unit_shift = 0;  ///< the smallest shift with which the peak fits 32 bits: 2^-31 of the peak, or one byte

    std::uint64_t memory_bytes() const;
};

/// The size of a mesh.
struct MeshSize {
    std::size_t records = 0;  ///< number of records, including those that fill up groups
    std::size_t pieces = 0;
    std::size_t chunks = 0;

    std::uint64_t memory_bytes() const;
};

/// Returns the size of the mesh of a timeline without building it, or nullopt if it has none: its paths came with the file,
/// or the records exceed k_max_mesh_records. Throws stopped(). O(ticks), some 30 ns each; O(1) if the number of path points
/// alone exceeds the limit.
std::optional<MeshSize> mesh_size_of(const Timeline& timeline);

/// Builds the mesh of a timeline in one pass over its ticks; nullopt if mesh_size_of() is. Throws stopped(). O(records).
std::optional<TriangleMesh> build_triangle_mesh(const Timeline& timeline);

/// Builds the mesh of a timeline whose paths came with the file and are drawn in straight lines from point to point. Throws
/// stopped(), and an error if more than 8 million paths exist at once or the thread's account has too little memory.
/// O(points).
TriangleMesh build_path_mesh(const Timeline& timeline);

}  // namespace snapviewer::mesh
