#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <vector>

#include "core/mesh/gpu_format.h"
#include "core/mesh/stack_index.h"
#include "core/mesh/triangle_mesh.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// What one device is drawn from, as far as it is built when a file is opened. Read-only once built.
///
/// Nearly always that is the index of the live stack alone, which draws any view; near views are drawn from a
/// build_triangle_mesh() that is built later. Files that bring the path of each allocation, which need not be stacked, have
/// triangles from the start instead.
struct Mesh {
    std::optional<StackIndex> index;
    TriangleMesh triangles;  ///< empty if there is an index

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
