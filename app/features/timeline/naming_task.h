#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/job.h"
#include "core/document/document.h"
#include "core/mesh/roomy_blocks.h"

namespace snapviewer {

/// What can be written into a block of the picture.
struct NamedBlock {
    RoomyBlock block;
    std::string name;   ///< the function that allocated it, or the layer; empty where that is not known
    std::string place;  ///< "model.py:104"; mostly empty for code that is not the program's own
    std::string size;
    bool is_layer = false;  ///< of a report: all that one iteration keeps of a kind
    bool is_hatched = false;
};

/// The part of a picture that is to be named, and how large it is on the screen.
struct NamingScene {
    DeviceView device;
    Axis axis = Axis::steps;
    View view;
    RoomWanted wanted;

    bool is_same_as(const NamingScene& other) const {
        return device.timeline == other.device.timeline && axis == other.axis && view == other.view &&
               wanted.width_px == other.wanted.width_px && wanted.height_px == other.wanted.height_px;
    }
};

struct NamedBlocks {
    NamingScene scene;
    std::vector<NamedBlock> blocks;  ///< layers first, then lowest first
};

/// Every block with room, and the layers of a memory report. A few milliseconds.
NamedBlocks named_blocks(NamingScene scene);
/// The layers alone; nothing of any other file.
NamedBlocks named_layers(NamingScene scene);

Job<NamedBlocks>::Work make_naming_job(NamingScene scene);

}  // namespace snapviewer
