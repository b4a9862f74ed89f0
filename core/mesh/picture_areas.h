#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mesh/mesh.h"
#include "core/timeline/timeline.h"
#include "core/timeline/view.h"

namespace snapviewer::mesh {

/// The lower and the upper edge of an area at one place.
struct AreaPoint {
    double x = 0;  ///< place on the axis, in steps or in microseconds since the left edge
    double low_bytes = 0, high_bytes = 0;
};

/// A part of the picture in one colour: one allocation, or a run of neighbours that are too thin to be seen alone.
struct PictureArea {
    AllocationId id;                ///< the allocation; none() for a run
    std::uint32_t colour = 0;       ///< 0xAABBGGRR; for a run the mean of its colours, weighted by bytes
    std::vector<AreaPoint> points;  ///< edges from left to right, connected by straight lines
};

/// Returns a view as areas, for vector graphics. Of the allocations that are at least half a pixel high and a pixel wide,
/// the 20,000 largest have their own area. The allocations between two such areas form a run, which is split where its
/// colour changes. Runs come first in the result, so that the areas of allocations are painted over them. If a column of
/// pixels contains at most two ticks on average, areas have points at the ticks; otherwise each column shows the moment with
/// the largest total in it, like a picture of pixels. Recorded paths have no runs. `colours` is the result of
/// allocation_colours(). Empty for an empty view. O(allocations + ticks in view + samples * areas).
std::vector<PictureArea> picture_areas(const Timeline& timeline, Axis axis, const View& view, const PictureSize& size,
                                       std::span<const std::uint32_t> colours);

/// A rectangle of the picture that is filled by one allocation, or by several allocations of one layer.
struct LabelRect {
    AllocationId id;  ///< the allocation that fills the rectangle, or one of several
    View rect;
};

/// The size of a picture, and the minimum size of a rectangle for a name.
struct LabelRectLimits {
    double width_px = 0, height_px = 0;          ///< size of the picture
    double min_width_px = 0, min_height_px = 0;  ///< minimum size of a rectangle
};

/// Finds the blocks of a view that are large enough for a name: for each allocation the widest rectangle in view that it
/// fills, or for each layer if `layer_of` has the layer of each allocation. Samples the picture every 8 pixels, so that a
/// slide between two samples may be missed. Empty for recorded paths. Throws stopped(). O(width * live allocations).
std::vector<LabelRect> find_label_rects(const Timeline& timeline, const Mesh& mesh, Axis axis, const View& view,
                                        const LabelRectLimits& wanted, std::span<const std::uint32_t> layer_of = {});

}  // namespace snapviewer::mesh
