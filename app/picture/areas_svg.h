#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/features/timeline/projection.h"
#include "core/mesh/picture_areas.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// Writes the areas of a picture as SVG, positioned by the projection. Each area is a path. The path of an allocation has a
/// tooltip and, if `first_id`, the id of the device's first allocation, is set, its `allocations.id` (`data-allocation`).
/// Looks like the output of shaders/look.glsl.
std::string areas_svg(const std::vector<PictureArea>& areas, const Timeline& timeline, const Projection& projection,
                      std::optional<std::uint64_t> first_id);

}  // namespace snapviewer
