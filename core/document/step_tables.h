#pragma once

#include <memory>
#include <vector>

#include "core/analysis/analyses.h"
#include "core/query/added_tables.h"

namespace snapviewer {

/// The tables about training steps, what grows from one to the next, what allocations are for, and call paths. As
/// analysis_tables(), which they are part of.
std::vector<TableFunction> step_tables(const std::shared_ptr<const Analyses>& analyses);

}  // namespace snapviewer
