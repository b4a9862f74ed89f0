#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/mesh/gpu_format.h"
#include "core/mesh/stack_index.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The picture of one device as the GPU wants it: built once, uploaded once, drawn by shaders/mesh.vert.
///
/// An allocation's lower edge is flat except where something under it is freed; so it is stored as *records*, one for its
/// start, one for each such drop and one for its end: 8 bytes stand for two path points (12 where the picture is higher than
/// 4 GiB). Size and colour are kept once per allocation. Records are grouped in *chunks*: the records of a stretch of ticks,
/// complete in themselves (an allocation that lives through several chunks has a *piece* in each), so that only the chunks
/// in view need to be drawn.
///
/// A record's x is a tick; the tick's place on the axis is looked up in a table, so one mesh serves steps and time alike.
struct Record {
    static constexpr std::uint32_t k_start = gpu_format::k_record_start;  ///< first record of a piece
    static constexpr std::uint32_t k_end = gpu_format::k_record_end;      ///< last record of a piece
    /// Below the flags: ticks since the chunk's first, then Mesh::piece_bits bits of pieces since the chunk's first.
    static constexpr std::uint32_t k_place_bits = gpu_format::k_record_place_bits;

    std::uint32_t place;
    std::uint32_t low;  ///< lower edge from this tick on, in bytes; the low word where Mesh::high_words has the other
};

/// Leaves new elements as they are: a mesh is filled by several threads at once, so nothing should touch its pages before.
template <typename T>
struct UninitialisedAllocator : std::allocator<T> {
    template <typename U>
    struct rebind {  // NOLINT(readability-identifier-naming): the standard's name
        using other = UninitialisedAllocator<U>;
    };
    template <typename U>
    void construct(U* at) {
        ::new (static_cast<void*>(at)) U;
    }
    template <typename U, typename... Args>
    void construct(U* at, Args&&... args) {
        ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
    }
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

/// All of a picture's geometry. Read-only once built.
struct Mesh {
    std::vector<Record, UninitialisedAllocator<Record>> records;
    /// The high words of the records' lower edges; empty where all of them are 0.
    std::vector<std::uint32_t, UninitialisedAllocator<std::uint32_t>> high_words;
    std::vector<ChunkBase> groups;      ///< one per k_group_records records
    std::vector<std::uint32_t> pieces;  ///< allocation of each piece
    std::vector<Chunk> chunks;          ///< in order of ticks
    /// Place of each tick on the step axis where the mesh has ticks of its own (straight paths); empty: the timeline's
    /// ticks.
    std::vector<std::uint64_t> own_tick_steps;
    std::uint32_t piece_bits = 20;  ///< how Record::place is divided; the more live at once, the more for pieces
    /// true: the paths came with the file and run straight from record to record. false: a drop begins at its record and
    /// takes three steps (none on the time axis).
    bool straight = false;

    /// What is drawn where more records are in view than can be drawn at a steady rate, and where ticks are narrower than a
    /// pixel: exact as well, at a cost that follows the pixels. Absent for straight paths.
    std::optional<StackIndex> far;

    std::uint64_t memory_bytes() const;
};

/// What building a mesh may cost.
struct MeshOptions {
    /// Records are left out when they would take more than this; all is drawn from `far` then, whose picture is the same.
    /// They pay where few are in view on a GPU; large ones take most of the time, memory and upload of opening a file.
    std::uint64_t record_budget_bytes = std::uint64_t{64} << 20;
};

/// Builds the picture of one device. Fails when stopped, and where more than 8 million allocations are live at once.
/// O(path points).
Result<Mesh> build_mesh(const Timeline& timeline, Progress& progress, const MeshOptions& options = {});

/// The part of that which needs no timeline, begun on a thread of its own. Not valid where the trace has recorded paths.
/// Trace and progress outlive it.
std::future<Result<StackIndex>> begin_stack_index(const DeviceTrace& trace, Progress& progress);
/// The rest of it, once the timeline of the same trace is there.
Result<Mesh> build_mesh(const Timeline& timeline, std::future<Result<StackIndex>> index, Progress& progress,
                        const MeshOptions& options = {});

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
