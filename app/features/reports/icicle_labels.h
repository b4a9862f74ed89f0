#pragma once

#include <string>
#include <vector>

#include "app/features/reports/icicle_bars.h"
#include "app/features/timeline/allocation_text.h"

namespace snapviewer {

/// Returns the lines of a bar's tooltip, one fact each; the first one has no name.
std::vector<Fact> bar_facts(const Icicle& icicle, const IcicleBar& bar);
/// Returns the nodes from the outermost bar down to `node`: the chain of source lines that called each other.
std::vector<std::uint32_t> path_to(const Icicle& icicle, std::uint32_t node);

/// Shortens a text to a width in the current font; ends with an ellipsis if it was cut.
std::string fitting_text(const std::string& text, float width_px);

}  // namespace snapviewer
