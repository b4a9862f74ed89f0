#pragma once

#include <optional>

#include "core/mesh/mesh.h"

namespace snapviewer {

/// The tick whose live stack a column of pixels from `x_begin` to `x_end` shows: that of the largest total among those in
/// it.
std::uint32_t shown_tick(const Timeline& timeline, const Mesh& mesh, Axis axis, double x_begin, double x_end);

/// What a column of pixels shows.
struct ShownMoment {
    std::uint32_t tick = 0;                     ///< as shown_tick()
    AllocationId ended = AllocationId::none();  ///< whose end at that tick is still under way
    double lift_bytes = 0;                      ///< how far all above it is still lifted
};
ShownMoment shown_moment(const Timeline& timeline, const Mesh& mesh, Axis axis, double x_begin, double x_end);

/// What is drawn at a height in a column of pixels from `x_begin` to `x_end` (steps, or microseconds since the left edge)
/// where the picture is painted from Mesh::far: of all moments in the column, that of the largest total. The same rule as in
/// shaders/columns.frag. A column narrower than the distance of two ticks shows the moment at its centre, as does any column
/// of a mesh without `far`. nullopt over empty ground. About a microsecond with `far`, else as Timeline::pick.
std::optional<PlacedAllocation> pick_in_column(const Timeline& timeline, const Mesh& mesh, Axis axis, double x_begin,
                                               double x_end, double offset_bytes);

}  // namespace snapviewer
