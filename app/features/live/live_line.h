#pragma once

#include <cstdint>

#include "app/features/requests.h"
#include "app/features/timeline/projection.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// A line at the moment whose live allocations are listed. Dragged by its foot, it asks for those of another one.
void draw_live_line(const Projection& canvas, const Timeline& timeline, Axis axis, std::uint32_t tick, Requests& requests);

}  // namespace snapviewer
