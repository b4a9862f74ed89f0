#pragma once

#include <memory>
#include <vector>

#include "core/analysis/analyses.h"
#include "core/query/added_tables.h"

namespace snapviewer {

/// Tables of training steps, of growth from step to step, of the kinds of allocations, and of call paths. They are part of
/// analysis_tables() and share ownership of `analyses`.
std::vector<TableFunction> step_tables(const std::shared_ptr<const Analyses>& analyses);

}  // namespace snapviewer
