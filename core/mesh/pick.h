#pragma once

#include <optional>

#include "core/mesh/mesh.h"

namespace snapviewer {

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

}  // namespace snapviewer
