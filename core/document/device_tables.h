#pragma once

#include <memory>
#include <vector>

#include "core/analysis/analyses.h"
#include "core/query/added_tables.h"

namespace snapviewer {

/// Table of each memory pool's memory at the peak and at the end, and of the code that created the pool. Part of
/// analysis_tables(), as are all tables in this file.
TableFunction pool_use_table(const std::shared_ptr<const Analyses>& analyses);

/// Table of all memory of a card, including memory that no snapshot records.
TableFunction device_memory_table(const std::shared_ptr<const Analyses>& analyses);

/// Table of contradictions between events and segments.
TableFunction contradictions_table(const std::shared_ptr<const Analyses>& analyses);

}  // namespace snapviewer
