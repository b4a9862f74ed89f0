#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/timeline/timeline.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// Both edges of an area at a place.
struct AreaPoint {
    double x = 0;  ///< steps, or microseconds since the left edge
    double low_bytes = 0, high_bytes = 0;
};

/// A part of the picture in one colour.
struct PictureArea {
    AllocationId id;                ///< none() where several that are too thin to be seen share it
    std::uint32_t colour = 0;       ///< 0xAABBGGRR; of several their mean by bytes
    std::vector<AreaPoint> points;  ///< from left to right; straight between them
};

/// How large the picture is that areas are made for.
struct AreaSize {
    double width_px = 0, height_px = 0;
};

/// A view as areas, for a picture of vectors. An allocation at least half a pixel high and a pixel wide has an area of its
/// own, of the 20,000 largest at most; what lies between two such areas is one more, cut where its colour changes. Those of
/// several come first, to be painted over. While there are at most two moments to a column of pixels, every point is that of
/// a moment; else each column shows, in its middle, that of the largest total in it, as the other pictures do. Of paths that
/// came with the file there are areas of one allocation alone. `colours` as allocation_colours(). None in an empty view.
/// O(allocations + ticks in view + samples * areas).
std::vector<PictureArea> picture_areas(const Timeline& timeline, Axis axis, const View& view, const AreaSize& size,
                                       std::span<const std::uint32_t> colours);

}  // namespace snapviewer
