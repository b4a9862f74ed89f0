#pragma once

#include <vector>

#include "app/features/findings/capacity_part.h"
#include "core/analysis/oom/oom.h"

namespace snapviewer {

/// The uses of a device's memory when it ran out of memory; together they fill its capacity. Empty parts are omitted. If the
/// use of the whole card is known, the parts are the rows of that.
std::vector<CapacityPart> capacity_parts(const OomVerdict& verdict);

/// The uses of the memory of a whole card at another moment than an out-of-memory error.
std::vector<CapacityPart> capacity_parts(const CardUse& use);

/// Draws a bar of the memory of a whole card, with the names and explanations of its parts.
void draw_card_use(const CardUse& use);

/// Draws the card of an out-of-memory error: a bar of capacity_parts() with their names, and the source lines that held the
/// most memory.
void draw_oom_card(const OomVerdict& verdict);

}  // namespace snapviewer
