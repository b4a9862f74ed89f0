#pragma once

#include <optional>
#include <string>

#include "core/query/database.h"

namespace snapviewer {

/// Fills the rest of the current window with a search field and a list of the tables, their columns and the SQL functions,
/// each with its description. Returns the name that was clicked, to be inserted into the query. `database` may be null.
std::optional<std::string> draw_query_schema(std::string& wanted, const Database* database);

}  // namespace snapviewer
