#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/features/timeline/timeline_axis.h"
#include "core/mesh/picture_areas.h"
#include "core/timeline/timeline.h"

namespace snapviewer::picture {

/// Escapes a text for the content or an attribute of XML. Characters that XML cannot represent become question marks.
std::string xml_text(std::string_view text);
/// Formats a length in pixels, rounded to hundredths, in its shortest form.
std::string svg_number(double value);
/// Formats a point as "12.5,30".
std::string svg_point(double x, double y);
/// Formats a colour in the form 0xAABBGGRR as an attribute: `fill="#12a0ff"`, with its opacity if it is not opaque. `name`
/// may also be "stroke".
std::string svg_paint(const char* name, std::uint32_t colour);

/// Writes the areas of a picture as SVG, positioned by the projection. Each area is a path. The path of an allocation has a
/// tooltip and, if `first_id`, the id of the device's first allocation, is set, its `allocations.id` (`data-allocation`).
/// Looks like the output of shaders/look.glsl.
std::string areas_svg(const std::vector<mesh::PictureArea>& areas, const Timeline& timeline, const Projection& projection,
                      std::optional<std::uint64_t> first_id);

}  // namespace snapviewer::picture
