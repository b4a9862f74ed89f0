#pragma once

#include <string>

#include "app/features/app_state.h"
#include "core/base/result.h"

namespace snapviewer {

/// Returns why the current search cannot be expressed in SQL, as a sentence; empty if it can.
std::string why_no_search_sql(const AppState& state);
/// Returns a query that finds the same allocations. Precondition: why_no_search_sql() is empty.
Result<std::string> search_as_sql(const AppState& state);

}  // namespace snapviewer
