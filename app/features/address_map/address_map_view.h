#pragma once

#include <cstdint>
#include <optional>

#include "app/features/address_map/state.h"
#include "app/features/requests.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

struct AddressMapScene {
    const Timeline& timeline;  ///< the picture on the screen
    AllocationId selected;     ///< none() where that shows something else than allocations
    bool shows_allocations = false;
    bool is_still = false;                     ///< a click asks for nothing
    std::optional<std::uint64_t> marked = {};  ///< address of a block that is outlined
    const char* name = "map";                  ///< in tests
};

/// Fills the rest of the current window with the reserved memory of the state's moment: the segments of each pool and
/// stream, in them the blocks, free stretches hatched, what waits for another stream striped. A click on a block asks for
/// its allocation, one on a hole for what pins it; Ctrl and the wheel zoom. Cost per frame: the blocks on the screen.
void draw_address_map_view(AddressMapState& state, const AddressMapScene& scene, Requests& requests);

/// The same without the line above it.
void draw_address_lines(AddressMapState& state, const AddressMapScene& scene, Requests& requests);

}  // namespace snapviewer
