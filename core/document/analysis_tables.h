#pragma once

#include <memory>

#include "core/analysis/findings/analyses.h"
#include "core/query/database.h"

namespace snapviewer {

/// SQL tables and columns with the results of analyses. Each analysis runs when a query first reads its table. The tables
/// share ownership of `analyses`, which keeps the timelines alive.
AddedTables analysis_tables(std::shared_ptr<const Analyses> analyses);

}  // namespace snapviewer
