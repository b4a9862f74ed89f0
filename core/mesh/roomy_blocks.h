#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mesh/mesh.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// A rectangle of the picture that is filled by one allocation, or by several allocations of one layer.
struct RoomyBlock {
    AllocationId id;  ///< the allocation, or one of several
    View room;
};

/// The size of a picture, and the minimum size of a rectangle for a name.
struct RoomWanted {
    double width_px = 0, height_px = 0;              ///< size of the picture
    double least_width_px = 0, least_height_px = 0;  ///< minimum size of a rectangle
};

/// Finds the blocks of a view that have room for a name: for each allocation the widest rectangle in view that it fills, or
/// for each layer if `layer_of` has the layer of each allocation. Samples the picture every 8 pixels, so that a slide
/// between two samples may be missed. Empty for recorded paths. Throws stopped(). O(width * live allocations).
std::vector<RoomyBlock> roomy_blocks(const Timeline& timeline, const Mesh& mesh, Axis axis, const View& view,
                                     const RoomWanted& wanted, std::span<const std::uint32_t> layer_of = {});

}  // namespace snapviewer
