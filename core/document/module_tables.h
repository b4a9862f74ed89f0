#pragma once

#include <memory>

#include "core/analysis/analyses.h"
#include "core/query/added_tables.h"

namespace snapviewer {

/// Table of modules and the memory that belongs to each.
TableFunction modules_table(const std::shared_ptr<const Analyses>& analyses);
/// Column with the module of each allocation.
AddedColumn module_column(const std::shared_ptr<const Analyses>& analyses);

}  // namespace snapviewer
