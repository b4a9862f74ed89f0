#pragma once

#include <cstddef>
#include <string>

#include "core/analysis/growth.h"

/// What grows, in words for the window.
namespace snapviewer {

/// The rows as they are listed: what may be a leak, then the rest. `index` is below the number of both.
const GrowthRow& growth_row(const Growth& growth, std::size_t index);
/// "a leak", "may be a leak", "a cache that was filled", "rises and falls".
const char* growth_state_words(GrowthState state);
/// How many steps were analysed and how the total changed, or why that is unknown.
std::string growth_sentence(const Growth& growth);
/// A tooltip of several lines.
std::string growth_row_facts(const GrowthRow& row, bool training);

}  // namespace snapviewer
