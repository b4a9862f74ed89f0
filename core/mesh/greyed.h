#pragma once

#include <cstdint>
#include <vector>

#include "core/timeline/emphasis.h"

namespace snapviewer {

/// The background of a picture.
enum class Ground : std::uint8_t { dark, light };

/// Returns the colour of an allocation that is not highlighted: a grey close to the background that keeps some of the
/// brightness of `colour` (0xAABBGGRR). shaders/colours.glsl computes the same value.
std::uint32_t greyed(std::uint32_t colour, Ground ground);
/// The grey level, 0 to 255, that greyed() returns for black.
std::uint32_t darkest_grey(Ground ground);

/// Replaces the colours of all allocations that are not highlighted by greyed(). `colours` has one entry per allocation.
void grey_others(std::vector<std::uint32_t>& colours, const Emphasis& emphasis, Ground ground = Ground::dark);

}  // namespace snapviewer
