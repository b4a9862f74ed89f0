#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mesh/mesh.h"
#include "core/timeline/view.h"

namespace snapviewer {

/// A rectangle of the picture that one allocation fills, or several of one layer.
struct RoomyBlock {
    AllocationId id;  ///< of several one of them
    View room;
};

/// How large a picture is, and what room a block must have to count.
struct RoomWanted {
    double width_px = 0, height_px = 0;              ///< of the picture
    double least_width_px = 0, least_height_px = 0;  ///< of the room
};

/// Which blocks of a view have room for a word, and where: for each allocation, or for each layer if `layer_of` gives one
/// per allocation, the widest rectangle in view that is filled with it. Looked at every few pixels, so that a drop between
/// two such places may be missed. None where the paths came with the file. O(width * live).
std::vector<RoomyBlock> roomy_blocks(const Timeline& timeline, const Mesh& mesh, Axis axis, const View& view,
                                     const RoomWanted& wanted, std::span<const std::uint32_t> layer_of = {});

}  // namespace snapviewer
