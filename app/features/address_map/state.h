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

/// Free bytes that were clicked on, and what keeps them from the driver.
struct ChosenHole {
    Hole hole;
    std::vector<std::uint64_t> pins;     ///< addresses of the blocks beside it
    std::vector<std::string> sentences;  ///< what would come back without them
};

/// The address map between two frames.
struct AddressMapState {
    bool is_first_picture = false;                  ///< shown for the file's sake: it has no history
    std::string why_empty;                          ///< a sentence; the map is there where there is none
    std::shared_ptr<const AddressSpace> space;      ///< null where nothing is known
    std::shared_ptr<const AddressMoment> fullest;   ///< when most was reserved: what the scale is made for
    std::uint32_t moment = 0;                       ///< on the screen
    std::optional<std::uint32_t> moment_asked_for;  ///< to show and to hold in the next frame
    bool is_held = false;                           ///< it does not follow the mouse
    std::string title;                              ///< what is there at the moment
    AddressMoment at;
    std::uint32_t version = 0;                     ///< another one when `at` is
    std::vector<std::uint32_t> colours;            ///< of at.blocks, 0xAABBGGRR, 0 of an unknown one; empty: all unknown
    std::shared_ptr<const Emphasis> standing_out;  ///< all but these are grey; null: none
    std::optional<std::uint64_t> hole_asked_for;   ///< an address in it
    std::optional<ChosenHole> hole;
    bool is_hole_low = false;  ///< clicked in the lower half of the map

    // Of the picture of it.
    AddressMap map;
    std::vector<std::string> group_names;  ///< of map.groups
    double zoom = 1;                       ///< how much longer than the panel all lines together are
    std::uint32_t drawn_version = 0;
    double drawn_zoom = 0;
    float drawn_width_px = 0;
    std::size_t drawn_lines = 0;  ///< that the panel had room for
};

}  // namespace snapviewer
