#pragma once

#include <string>

#include "core/mesh/colour_groups.h"

namespace snapviewer {

/// Colours by module on the level where modules tell most (telling_depth), at the peak. Of more than 128 modules the largest
/// have colours of their own. O(allocations + modules).
ColourGroups module_groups(const Timeline& timeline);

/// As why_no_colours().
std::string why_no_module_colours(const Timeline& timeline);

}  // namespace snapviewer
