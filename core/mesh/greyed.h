#pragma once

#include <cstdint>
#include <vector>

#include "core/timeline/emphasis.h"

namespace snapviewer {

/// What a picture is drawn on.
enum class Ground : std::uint8_t { dark, light };

/// What an allocation that does not stand out looks like: a grey near the ground that keeps a hint of how bright its colour
/// (0xAABBGGRR) was. shaders/colours.glsl works out the same.
std::uint32_t greyed(std::uint32_t colour, Ground ground);
/// The grey of black, 0 to 255.
std::uint32_t darkest_grey(Ground ground);

/// The colours of a picture in which some allocations stand out: theirs as they were, all others greyed. `colours` is one
/// per allocation.
void grey_others(std::vector<std::uint32_t>& colours, const Emphasis& emphasis, Ground ground = Ground::dark);

}  // namespace snapviewer
