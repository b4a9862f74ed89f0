#pragma once

#include <cstdint>
#include <optional>

#include "app/features/address_map/state.h"
#include "app/features/requests.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

struct AddressMapScene {
    const Timeline& timeline;  ///< the timeline on the screen
    AllocationId selected;     ///< the selected allocation; none() if the timeline shows something other than allocations
    bool shows_allocations = false;
    bool is_still = false;                     ///< true if clicks on the map have no effect
    std::optional<std::uint64_t> marked = {};  ///< address of the block to outline
    const char* name = "map";                  ///< name of the address map in tests
};

/// Fills the rest of the current window with the reserved memory at the state's moment: the segments of each pool and
/// stream, and the blocks in them. Free ranges are hatched; blocks that wait for another stream are striped. A click on a
/// block selects its allocation, a click on a hole shows the blocks that pin it. Ctrl and the mouse wheel zoom. O(blocks on
/// the screen) per frame.
void draw_address_map_view(AddressMapState& state, const AddressMapScene& scene, Requests& requests);

/// Draws the lines of the address map without the summary line above them.
void draw_address_lines(AddressMapState& state, const AddressMapScene& scene, Requests& requests);

}  // namespace snapviewer
