#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/features/requests.h"
#include "core/analysis/icicle.h"

namespace snapviewer {

/// Fills the rest of the current window with everything known of an icicle's node, or with a hint when none is selected.
void draw_icicle_details(const Icicle& icicle, std::optional<std::uint32_t> selected, Requests& requests);

/// The same as plain text, for the clipboard.
std::string icicle_node_text(const Icicle& icicle, std::uint32_t node);

}  // namespace snapviewer
