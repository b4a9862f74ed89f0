#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <vector>

#include "core/mesh/gpu_format.h"
#include "core/mesh/stack_index.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// A point of the lower edge of an allocation whose path came with the file: 8 bytes (12 where the picture is higher than
/// 4 GiB). Size and colour are kept once per allocation. Records are grouped in *chunks*: the records of a stretch of ticks,
/// complete in themselves (an allocation that lives through several chunks has a *piece* in each), so that only the chunks
/// in view need to be drawn. A record's x is a tick, whose place on the axis of steps is looked up in a table.
struct Record {
    static constexpr std::uint32_t k_start = gpu_format::k_record_start;  ///< first record of a piece
    static constexpr std::uint32_t k_end = gpu_format::k_record_end;      ///< last record of a piece
    /// Below the flags: ticks since the chunk's first, then Mesh::piece_bits bits of pieces since the chunk's first.
    static constexpr std::uint32_t k_place_bits = gpu_format::k_record_place_bits;

    std::uint32_t place;
    std::uint32_t low;  ///< lower edge from this tick on, in bytes; the low word where Mesh::high_words has the other
};

/// Records are addressed in groups of this many; a chunk begins at a group border, so a table of groups leads to its chunk.
inline constexpr std::uint32_t k_group_records = gpu_format::k_group_records;

/// What the offsets in a group of records count from.
struct ChunkBase {
    std::uint32_t first_tick = 0;
    std::uint32_t first_piece = 0;
};

/// A stretch of ticks that can be drawn alone.
struct Chunk {
    std::uint32_t first_record = 0;  ///< a multiple of k_group_records
    std::uint32_t record_count = 0;
    std::uint32_t first_tick = 0;
    std::uint32_t last_tick = 0;  ///< inclusive; the next chunk begins here
    std::uint64_t low_bytes = 0;  ///< extent, for culling
    std::uint64_t high_bytes = 0;
};

/// The picture of one device as the GPU wants it: built once, uploaded once. Read-only once built.
///
/// Nearly always that is the index of the live stack, which costs memory by what was recorded and a frame by its pixels.
/// Only files that bring the path of each allocation, which need not be stacked, have triangles, drawn by shaders/mesh.vert.
struct Mesh {
    std::optional<StackIndex> index;

    // Where there is no index:
    std::vector<Record> records;
    /// The high words of the records' lower edges; empty where all of them are 0.
    std::vector<std::uint32_t> high_words;
    std::vector<ChunkBase> groups;      ///< one per k_group_records records
    std::vector<std::uint32_t> pieces;  ///< allocation of each piece
    std::vector<Chunk> chunks;          ///< in order of ticks
    /// Place of each tick of the mesh on the step axis. Empty: the timeline's ticks.
    std::vector<std::uint64_t> own_tick_steps;
    std::uint32_t piece_bits = 20;  ///< how Record::place is divided; the more live at once, the more for pieces

    std::uint64_t memory_bytes() const;
};

/// Builds the picture of one device. Throws stopped(), and an error if paths came with the file and more than 8 million of
/// them are there at once. O(allocs and frees x log live), or O(points of the paths).
Mesh build_mesh(const Timeline& timeline);

/// Begins the part of a mesh that needs no timeline, on another thread. The future is not valid if the trace has recorded
/// paths. The trace and what the context of the calling thread points at must outlive it.
std::future<StackIndex> begin_stack_index(const DeviceTrace& trace);
/// Builds the rest of the mesh, from the timeline of the same trace.
Mesh build_mesh(const Timeline& timeline, std::future<StackIndex> index);

/// Alpha of a colour that is drawn with stripes: what was not recorded but worked out. All others have full alpha.
inline constexpr std::uint32_t k_hatched_alpha = gpu_format::k_hatched_alpha;

/// Colour of every allocation as 0xAABBGGRR, in drawing order.
enum class ColourBy : std::uint8_t {
    stack,
    size,
    stream,
    pool,
    category,
    age,     ///< how long it lived, in allocs and frees
    kind,    ///< what it is for: no file tells that, so without an analysis all is grey
    module,  ///< of which part of the model it is, where the program says so
};
inline constexpr std::size_t k_colourings = 8;
std::vector<std::uint32_t> allocation_colours(const Timeline& timeline, ColourBy by);

}  // namespace snapviewer
