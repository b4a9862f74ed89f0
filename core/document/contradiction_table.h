#pragma once

#include <memory>

#include "core/analysis/analyses.h"
#include "core/query/added_tables.h"

namespace snapviewer {

/// The table of where events and segments contradict each other. Part of analysis_tables(), with the same rules.
TableFunction contradictions_table(const std::shared_ptr<const Analyses>& analyses);

}  // namespace snapviewer
