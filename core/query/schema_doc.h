#pragma once

#include <string>

#include "core/query/added_tables.h"

namespace snapviewer {

/// docs/sql.md: every table, column and function, from the same description that makes the tables; `added`
/// is what is added to those of a file.
std::string schema_markdown(const AddedTables& added);

}  // namespace snapviewer
