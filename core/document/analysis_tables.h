#pragma once

#include <memory>

#include "core/analysis/analyses.h"
#include "core/query/added_tables.h"

namespace snapviewer {

/// The tables and columns of SQL that come from analyses, each of which is made when a query first reads it. They keep
/// `analyses`, and that keeps the timelines.
AddedTables analysis_tables(std::shared_ptr<const Analyses> analyses);

}  // namespace snapviewer
