#pragma once

#include <memory>

#include "core/analysis/analyses.h"
#include "core/query/added_tables.h"

namespace snapviewer {

/// The table of modules and what they hold.
TableFunction modules_table(const std::shared_ptr<const Analyses>& analyses);
/// The module of each allocation.
AddedColumn module_column(const std::shared_ptr<const Analyses>& analyses);

}  // namespace snapviewer
