#pragma once

#include <memory>
#include <vector>

#include "core/analysis/analyses.h"
#include "core/query/added_tables.h"

namespace snapviewer {

/// The table about all memory of a card, most of which no snapshot sees. As analysis_tables(), which it is part of.
TableFunction device_memory_table(const std::shared_ptr<const Analyses>& analyses);

}  // namespace snapviewer
