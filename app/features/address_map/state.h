#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/space/address_space.h"
#include "core/timeline/emphasis.h"

namespace snapviewer {

/// The free range that the user clicked, and the blocks that prevent its return to the driver.
struct ChosenHole {
    space::Hole hole;
    std::vector<std::uint64_t> pins;  ///< addresses of the blocks next to the hole, which pin it
    /// Sentences about the memory that the driver would get back without each of the pins.
    std::vector<std::string> sentences;
};

/// State of the address map that persists between frames.
struct AddressMapState {
    bool is_first_picture = false;  ///< true if the map is shown instead of the timeline because the file has no history
    std::string why_empty;          ///< the reason why there is no map; empty if there is one
    std::shared_ptr<const space::AddressSpace> space;  ///< address space of the device; null if it is unknown
    std::shared_ptr<const space::AddressMoment>
        fullest;                                    ///< the moment with most reserved memory, which determines the scale
    std::uint32_t moment = 0;                       ///< event whose memory layout is on the screen
    std::optional<std::uint32_t> moment_asked_for;  ///< a moment to show and hold from the next frame on
    bool is_held = false;                           ///< true if the moment does not follow the mouse
    std::string title;                              ///< summary of the moment, shown above the map
    space::AddressMoment at;
    std::uint32_t version = 0;           ///< version number of `at`; changes whenever `at` changes
    std::vector<std::uint32_t> colours;  ///< colours of at.blocks as 0xAABBGGRR, 0 for unknown; empty if all are unknown
    /// The highlighted allocations; all others are grey; null for no highlight.
    std::shared_ptr<const Emphasis> highlight;
    std::optional<std::uint64_t> hole_asked_for;  ///< an address inside a hole whose pins were requested by a click
    std::optional<ChosenHole> hole;
    bool is_hole_low = false;  ///< true if the hole was clicked in the lower half of the map

    // The fields below are the layout of the map and the values it was made for.
    space::AddressMap map;
    std::vector<std::string> group_names;  ///< names of map.groups
    double zoom = 1;                       ///< length of all lines together, in panel heights
    std::uint32_t drawn_version = 0;
    double drawn_zoom = 0;
    float drawn_width_px = 0;
    std::size_t drawn_lines = 0;  ///< number of the map's lines that fit into the panel
};

}  // namespace snapviewer
