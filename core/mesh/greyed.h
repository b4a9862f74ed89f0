#pragma once

#include <cstdint>
#include <vector>

#include "core/timeline/emphasis.h"

namespace snapviewer {

/// What a picture is drawn on.
enum class Ground : std::uint8_t { dark, light };

/// The colours of a picture in which some allocations stand out: theirs as they were, all others a grey near the
/// ground that keeps a hint of how bright they were. `colours` is one 0xAABBGGRR per allocation.
void grey_others(std::vector<std::uint32_t>& colours, const Emphasis& emphasis, Ground ground = Ground::dark);

}  // namespace snapviewer
