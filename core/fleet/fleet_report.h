#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/fleet/fleet.h"

namespace snapviewer {

/// All that is kept of a fleet and what stands out of it, for scripts: docs/fleets.md says what it holds.
nlohmann::ordered_json fleet_json(const Fleet& fleet);

/// The same for people, without what is ordinary: the median, who is far from it by which stacks, what grows, who ran out of
/// memory, and which files could not be read.
std::string fleet_text(const Fleet& fleet);

}  // namespace snapviewer
