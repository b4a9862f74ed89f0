#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/features/findings/capacity_part.h"
#include "app/ui/fonts.h"

namespace snapviewer {

/// Draws a stacked bar of `parts`. `whole_bytes` corresponds to the available width. A tooltip names the part under the
/// mouse. Tests find the bar by its `id`.
void draw_capacity_bar(const char* id, const std::vector<CapacityPart>& parts, std::uint64_t whole_bytes);

/// Draws a stacked bar of `parts`, and below it a line for each part and for the total. No-op if `parts` is empty.
void draw_capacity_parts(const std::vector<CapacityPart>& parts);

/// Draws a row with a name at the left and an amount at the right.
void draw_amount_row(const std::string& name, const std::string& amount, float indent, ImU32 name_colour,
                     ImFont* name_font = fonts().ui);

}  // namespace snapviewer
