#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/features/requests.h"
#include "core/analysis/stacks/icicle.h"

namespace snapviewer {

/// Fills the rest of the current window with all facts about a node of an icicle, or with a hint if no node is selected.
void draw_icicle_details(const stacks::Icicle& icicle, std::optional<std::uint32_t> selected, Requests& requests);

/// Returns the facts about a node as plain text, for the clipboard.
std::string icicle_node_text(const stacks::Icicle& icicle, std::uint32_t node);

}  // namespace snapviewer
