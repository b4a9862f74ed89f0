#pragma once

#include <memory>
#include <vector>

#include "core/analysis/analyses.h"
#include "core/query/added_tables.h"

namespace snapviewer {

/// The table about what each memory pool holds at the peak and at the end, and who made it. As analysis_tables(), which it
/// is part of.
TableFunction pool_use_table(const std::shared_ptr<const Analyses>& analyses);

/// The table about all memory of a card, most of which no snapshot sees. As analysis_tables(), which it is part of.
TableFunction device_memory_table(const std::shared_ptr<const Analyses>& analyses);

/// The table of where events and segments contradict each other. Part of analysis_tables(), with the same rules.
TableFunction contradictions_table(const std::shared_ptr<const Analyses>& analyses);

}  // namespace snapviewer
