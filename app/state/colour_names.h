#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/mesh/mesh.h"

namespace snapviewer {

/// What a way of colouring is called in settings and on the command line: "stack", "size", "kind"...
const char* colour_name(ColourBy by);
std::vector<std::string> colour_names();
std::optional<ColourBy> colour_named(std::string_view name);

}  // namespace snapviewer
