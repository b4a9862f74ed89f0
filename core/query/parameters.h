#pragma once

#include <span>

#include "core/base/result.h"
#include "core/query/database.h"

struct sqlite3_stmt;

namespace snapviewer {

/// What becomes of values for which a statement has no parameter.
enum class UnusedValues { ignored, refused };

/// Gives every parameter of a statement its value; one without is an error that names those there are. The texts must live
/// as long as the statement.
Status bind_parameters(sqlite3_stmt* statement, std::span<const QueryParameter> parameters, UnusedValues unused);

}  // namespace snapviewer
