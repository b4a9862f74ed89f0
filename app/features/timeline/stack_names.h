#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/document/document.h"
#include "core/mesh/picture_areas.h"
#include "core/timeline/timeline.h"
#include "core/timeline/totals.h"

namespace snapviewer {

/// Short name of a stack for lists: its innermost line in the user's own code, such as "model.py:39 forward", or a
/// placeholder if there is no stack.
std::string stack_name(const Timeline& timeline, StackId stack);

/// Returns the short names of many stacks. Equal names are extended by the next line that differs: by a caller, as in
/// "model.py:39 forward < train.py:12 step", or if all callers are the same, by a callee, as in "model.py:39 forward >
/// conv.py:4 conv". A few microseconds per stack.
std::vector<std::string> stack_names(const Timeline& timeline, std::span<const StackTotal> totals);

/// The texts that can be drawn into a block of the picture.
struct NamedBlock {
    mesh::LabelRect block;
    std::string name;   ///< function that allocated the block, or name of the layer; empty if unknown
    std::string place;  ///< source line such as "model.py:104"; usually empty for library code
    std::string size;
    bool is_layer = false;  ///< a layer of a report: all memory of one kind that an iteration holds
    bool is_hatched = false;
};

/// The part of a picture whose blocks need names, and its size on the screen.
struct NamingScene {
    DeviceView device;
    Axis axis = Axis::steps;
    View view;
    mesh::LabelRectLimits wanted;

    bool operator==(const NamingScene& other) const {
        return device.timeline == other.device.timeline && axis == other.axis && view == other.view &&
               wanted.width_px == other.wanted.width_px && wanted.height_px == other.wanted.height_px;
    }
};

struct NamedBlocks {
    NamingScene scene;
    std::vector<NamedBlock> blocks;  ///< named blocks: layers first, all others from bottom to top
};

/// Returns names for every block that is large enough, and for the layers of a memory report. Takes a few milliseconds.
NamedBlocks named_blocks(NamingScene scene);
/// Returns names for the layers only; empty for any file but a memory report.
NamedBlocks named_layers(NamingScene scene);

}  // namespace snapviewer
