#pragma once

#include <optional>
#include <string>

#include "core/query/database.h"

namespace snapviewer {

/// Fills what is left of the current window with the tables, their columns and the functions, what each of them holds, and
/// a field to search them. Returns the name that was clicked, to go into the query. `database` may be null.
std::optional<std::string> draw_query_schema(std::string& wanted, const Database* database);

}  // namespace snapviewer
