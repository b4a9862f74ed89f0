#pragma once

#include <span>

#include "core/query/database.h"

struct sqlite3_stmt;

namespace snapviewer {

/// Gives the parameters of a statement their values; without any values each stands for NULL. A parameter that has no value
/// among some is an error. The values are copied.
Status bind_parameters(sqlite3_stmt* statement, std::span<const QueryParameter> parameters);

/// The same for who knows the statement: every parameter needs a value, and every value a parameter. The n-th "?" is "?n".
Status bind_every_parameter(sqlite3_stmt* statement, std::span<const QueryParameter> parameters);

}  // namespace snapviewer
