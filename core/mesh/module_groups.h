#pragma once

#include <string>

#include "core/mesh/colour_groups.h"

namespace snapviewer {

/// Returns the groups of colouring by module, on the level of the module tree that telling_depth() chooses for the peak. If
/// there are more than 128 modules, only the largest have their own colours. O(allocations + modules).
ColourGroups module_groups(const Timeline& timeline);

/// Returns a sentence that explains why colouring by module would use a single colour; empty if it uses several.
std::string why_no_module_colours(const Timeline& timeline);

}  // namespace snapviewer
