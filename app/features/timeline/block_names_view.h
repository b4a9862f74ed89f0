#pragma once

#include <imgui.h>

#include <vector>

#include "app/features/timeline/naming_task.h"
#include "app/features/timeline/projection.h"
#include "app/features/timeline/state.h"
#include "core/timeline/emphasis.h"

namespace snapviewer {

/// Returns the minimum size on the screen that a block needs for a name.
RoomWanted room_for_names(const Projection& canvas);

/// Writes into each block as many of function, place and size as fit, or nothing if not even the size fits. A layer that is
/// too narrow gets its name beside it. If allocations are highlighted, only those get names. Returns the names that were
/// drawn. Cost: proportional to the number of names.
std::vector<WrittenName> draw_block_names(ImDrawList* list, const NamedBlocks& names, const Projection& projection,
                                          const Emphasis* emphasis);

}  // namespace snapviewer
