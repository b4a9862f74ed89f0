#pragma once

#include <string>

#include "app/features/app_state.h"
#include "core/base/result.h"

namespace snapviewer {

/// Why what is looked for cannot be asked in SQL, as a sentence; empty where it can.
std::string why_no_search_sql(const AppState& state);
/// The query that finds the same. Only where it can.
Result<std::string> search_as_sql(const AppState& state);

}  // namespace snapviewer
