#pragma once

#include <vector>

#include "app/features/findings/capacity_part.h"
#include "core/analysis/oom.h"

namespace snapviewer {

/// What a device's memory was used for when it ran out, from 0 to its capacity; parts of no size are left out. Where
/// somebody told of the whole card, it is the rows of that.
std::vector<CapacityPart> capacity_parts(const OomVerdict& verdict);

/// The same of a whole card at another time.
std::vector<CapacityPart> capacity_parts(const CardUse& use);

/// A bar of a whole card, with what each part is called and what there is to say of it.
void draw_card_use(const CardUse& use);

/// A bar of these parts with what each is called, and the lines of the program that held most.
void draw_oom_card(const OomVerdict& verdict);

}  // namespace snapviewer
