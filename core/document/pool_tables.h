#pragma once

#include <memory>

#include "core/analysis/analyses.h"
#include "core/query/added_tables.h"

namespace snapviewer {

/// The table about what each memory pool holds at the peak and at the end, and who made it. As analysis_tables(), which it
/// is part of.
TableFunction pool_use_table(const std::shared_ptr<const Analyses>& analyses);

}  // namespace snapviewer
