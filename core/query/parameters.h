#pragma once

#include <span>

#include "core/base/result.h"
#include "core/query/database.h"

struct sqlite3_stmt;

namespace snapviewer {

/// Whether bind_parameters() ignores or refuses a value for which the statement has no parameter.
enum class UnusedValues { ignored, refused };

/// Binds a value to every parameter of a statement. Fails if a parameter has no value; the error lists the names of the
/// given values. The texts are not copied and must outlive the statement.
Status bind_parameters(sqlite3_stmt* statement, std::span<const QueryParameter> parameters, UnusedValues unused);

}  // namespace snapviewer
