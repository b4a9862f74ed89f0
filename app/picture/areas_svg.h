#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/features/timeline/projection.h"
#include "core/mesh/picture_areas.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// The areas of a picture as SVG, where the projection says: a path each, that of an allocation with words for the mouse
/// over it and, where `first_id` says that of the device's first one, its `allocations.id` (`data-allocation`). Looks as
/// shaders/look.glsl makes it.
std::string areas_svg(const std::vector<PictureArea>& areas, const Timeline& timeline, const Projection& projection,
                      std::optional<std::uint64_t> first_id);

}  // namespace snapviewer
