#pragma once

#include <memory>
#include <vector>

#include "core/analysis/analyses.h"
#include "core/query/added_tables.h"

namespace snapviewer {

/// Tables about a device's memory, all part of analysis_tables(). This one shows the memory of each pool at the peak and at
/// the end, and the code that made the pool.
TableFunction pool_use_table(const std::shared_ptr<const Analyses>& analyses);

/// All memory of a card, including memory that no snapshot records.
TableFunction device_memory_table(const std::shared_ptr<const Analyses>& analyses);

/// Contradictions between events and segments.
TableFunction contradictions_table(const std::shared_ptr<const Analyses>& analyses);

}  // namespace snapviewer
