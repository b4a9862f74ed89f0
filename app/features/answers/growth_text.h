#pragma once

#include <cstddef>
#include <string>

#include "core/analysis/growth/growth.h"

/// Texts about memory growth for the window.
namespace snapviewer {

/// The growing stack at `index` in the displayed order: possible leaks first, then all other rows. Precondition: `index` is
/// less than the number of rows.
const GrowthRow& growth_row(const Growth& growth, std::size_t index);
/// Name of a growth state for the user, such as "a leak".
const char* growth_state_words(GrowthState state);
/// A sentence with the number of analysed steps and the change of the total, or the reason why growth is unknown.
std::string growth_sentence(const Growth& growth);
/// Text of a growth row's tooltip, with several lines. `training` is true if the steps are training steps.
std::string growth_row_facts(const GrowthRow& row, bool training);

}  // namespace snapviewer
