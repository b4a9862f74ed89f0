#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/commands.h"
#include "core/analysis/kinds/kinds.h"
#include "core/mesh/colours.h"
#include "core/mesh/mesh.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// A colouring of the picture, with its name in settings and on the command line.
struct Colouring {
    mesh::ColourBy by;
    const char* name;   ///< identifier, such as "stack"
    CommandId command;  ///< chooses the colouring; its words are the label, such as "Stack"
    const char* doc;    ///< explanation; empty if the label is clear enough
};
/// Returns all colourings in the order of the menu.
std::span<const Colouring> colourings();

const char* colour_name(mesh::ColourBy by);
std::vector<std::string> colour_names();
std::optional<mesh::ColourBy> colour_named(std::string_view name);

/// Groups the allocations of a device by their kind. The first group is always the unknown ones, even if it is empty; next
/// are those from before the recording. `kinds` may be null while they are being computed; then all are unknown.
/// O(allocations).
mesh::ColourGroups kind_groups(const Timeline& timeline, const kinds::Kinds* kinds);

}  // namespace snapviewer
