#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/address_map.h"
#include "core/timeline/emphasis.h"

namespace snapviewer {

/// A free range that was clicked, and the blocks that keep it from the driver.
struct ChosenHole {
    Hole hole;
    std::vector<std::uint64_t> pins;     ///< addresses of the blocks beside it
    std::vector<std::string> sentences;  ///< the memory that the driver would get back without each block
};

/// The address map between two frames.
struct AddressMapState {
    bool is_first_picture = false;                  ///< shown first because the file has no history
    std::string why_empty;                          ///< reason why there is no map; empty if there is one
    std::shared_ptr<const AddressSpace> space;      ///< null if it is unknown
    std::shared_ptr<const AddressMoment> fullest;   ///< the moment with most reserved memory, which determines the scale
    std::uint32_t moment = 0;                       ///< the moment on the screen
    std::optional<std::uint32_t> moment_asked_for;  ///< to show and to hold in the next frame
    bool is_held = false;                           ///< the moment does not follow the mouse
    std::string title;                              ///< summary of the moment
    AddressMoment at;
    std::uint32_t version = 0;                     ///< changes whenever `at` changes
    std::vector<std::uint32_t> colours;            ///< 0xAABBGGRR for each of at.blocks, 0 for unknown; empty if all are
    std::shared_ptr<const Emphasis> standing_out;  ///< all other allocations are grey; null for no highlight
    std::optional<std::uint64_t> hole_asked_for;   ///< an address in the hole
    std::optional<ChosenHole> hole;
    bool is_hole_low = false;  ///< clicked in the lower half of the map

    // The picture of the map.
    AddressMap map;
    std::vector<std::string> group_names;  ///< of map.groups
    double zoom = 1;                       ///< length of all lines together, in panel heights
    std::uint32_t drawn_version = 0;
    double drawn_zoom = 0;
    float drawn_width_px = 0;
    std::size_t drawn_lines = 0;  ///< number of lines that fit into the panel
};

}  // namespace snapviewer
