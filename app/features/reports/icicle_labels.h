#pragma once

#include <string>
#include <vector>

#include "app/features/reports/icicle_bars.h"
#include "app/features/timeline/allocation_text.h"

namespace snapviewer {

/// What a tooltip says of a bar; the first fact has no name. A line each.
std::vector<Fact> bar_facts(const Icicle& icicle, const IcicleBar& bar);
/// The bars from the outermost down to a node: the lines that called each other.
std::vector<std::uint32_t> path_to(const Icicle& icicle, std::uint32_t node);

/// As much of a text as fits into a width in the current font, with an ellipsis where it is cut.
std::string fitting_text(const std::string& text, float width_px);

}  // namespace snapviewer
