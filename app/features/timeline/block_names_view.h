#pragma once

#include <imgui.h>

#include <vector>

#include "app/features/timeline/naming_task.h"
#include "app/features/timeline/projection.h"
#include "app/features/timeline/state.h"
#include "core/timeline/emphasis.h"

namespace snapviewer {

/// What room a block must have on the screen before anything is written into it.
RoomWanted room_for_names(const Projection& canvas);

/// Writes into each block as much as fits of function, place and size, at least the size, and nothing where that does not
/// fit; a layer that is too narrow has its name beside it. Where some allocations stand out only into those. Gives what was
/// written. Cost: the texts.
std::vector<WrittenName> draw_block_names(ImDrawList* list, const NamedBlocks& names, const Projection& projection,
                                          const Emphasis* emphasis);

}  // namespace snapviewer
