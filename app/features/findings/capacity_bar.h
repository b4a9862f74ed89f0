#pragma once

#include <imgui.h>

#include <cstdint>
#include <string>
#include <vector>

#include "app/features/findings/capacity_part.h"
#include "app/ui/fonts.h"

namespace snapviewer {

/// A bar of these parts, as wide as there is room where they are `whole_bytes`; a tooltip names the one under the mouse.
/// Tests find it by `id`.
void draw_capacity_bar(const char* id, const std::vector<CapacityPart>& parts, std::uint64_t whole_bytes);

/// A bar of these parts, and below it a line for each and for all of them; nothing where they are empty.
void draw_capacity_parts(const std::vector<CapacityPart>& parts);

/// A name at the left, an amount at the right.
void draw_amount_row(const std::string& name, const std::string& amount, float indent, ImU32 name_colour,
                     ImFont* name_font = fonts().ui);

}  // namespace snapviewer
