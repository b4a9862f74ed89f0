#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <vector>

#include "core/mesh/gpu_format.h"
#include "core/mesh/stack_index.h"
#include "core/mesh/triangle_mesh.h"
#include "core/timeline/timeline.h"

namespace snapviewer::mesh {

/// The data for drawing one device that is built when a file is opened. Immutable.
///
/// Nearly always that is the index of the live stack, which can draw any view. The triangle mesh for near views is built
/// later, by build_triangle_mesh(). Files that contain the path of each allocation, whose allocations need not be stacked,
/// have triangles from the start and no index.
struct Mesh {
    std::optional<StackIndex> index;
    TriangleMesh triangles;  ///< triangles; empty if there is an index

    std::uint64_t memory_bytes() const;
};

/// Builds the index of one device, or the triangles if the file contains paths. Throws stopped(), and an error if more than
/// 8 million paths exist at once. O(allocs and frees x log live), or O(points of the paths).
Mesh build_mesh(const Timeline& timeline);

/// Begins to build the index, which needs no timeline, on another thread. The future is not valid if the trace has recorded
/// paths. The trace, and the progress and the budget of the calling thread's context, must outlive the future.
std::future<StackIndex> begin_stack_index(const DeviceTrace& trace);
/// Completes what begin_stack_index() began, with the timeline of the same trace.
Mesh build_mesh(const Timeline& timeline, std::future<StackIndex> index);

/// The alpha value of colours that are drawn with stripes, for allocations that were derived instead of recorded. All other
/// colours have full alpha.
inline constexpr std::uint32_t k_hatched_alpha = gpu_format::k_hatched_alpha;

/// The property of an allocation that decides its colour.
enum class ColourBy : std::uint8_t {
    stack,
    size,
    stream,
    pool,
    category,
    age,     ///< lifetime, in allocs and frees
    kind,    ///< purpose of the memory; files do not contain it, so everything is grey before an analysis found the kinds
    module,  ///< the part of the model that allocated the memory, if the program recorded it
};
inline constexpr std::size_t k_colourings = 8;
/// Returns the colour of each allocation as 0xAABBGGRR, in drawing order. O(allocations).
std::vector<std::uint32_t> allocation_colours(const Timeline& timeline, ColourBy by);

/// Returns the tick whose live stack is shown by a column of pixels that spans `x_begin` to `x_end`: the tick with the
/// largest total in the column.
std::uint32_t shown_tick(const Timeline& timeline, const Mesh& mesh, Axis axis, double x_begin, double x_end);

/// The moment that a column of pixels shows.
struct ShownMoment {
    std::uint32_t tick = 0;                     ///< the result of shown_tick()
    AllocationId ended = AllocationId::none();  ///< the allocation that the tick frees, while those above it still slide
    double lift_bytes = 0;                      ///< the distance that the allocations above `ended` still have to slide
};
ShownMoment shown_moment(const Timeline& timeline, const Mesh& mesh, Axis axis, double x_begin, double x_end);

/// Returns the allocation that is drawn at a height in a column of pixels that spans `x_begin` to `x_end` (steps, or
/// microseconds since the left edge); nullopt if there is none. Like shaders/columns.frag, chooses the moment with the
/// largest total in the column, or the moment at its centre if no tick lies in the column or the mesh has no index. Takes
/// about a microsecond with an index, else as long as Timeline::pick().
std::optional<PlacedAllocation> pick_in_column(const Timeline& timeline, const Mesh& mesh, Axis axis, double x_begin,
                                               double x_end, double offset_bytes);

}  // namespace snapviewer::mesh
