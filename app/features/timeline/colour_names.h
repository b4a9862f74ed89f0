#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/mesh/mesh.h"

namespace snapviewer {

/// A way of colouring, as settings, command line and menu speak of it.
struct Colouring {
    ColourBy by;
    const char* name;   ///< "stack"
    const char* words;  ///< "Stack"
    const char* doc;    ///< what it tells, where its words do not say that
};
/// In the order of the menu.
std::span<const Colouring> colourings();

const char* colour_name(ColourBy by);
std::vector<std::string> colour_names();
std::optional<ColourBy> colour_named(std::string_view name);

}  // namespace snapviewer
