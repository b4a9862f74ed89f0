#pragma once

#include <string>

#include "core/query/added_tables.h"

namespace snapviewer {

/// Returns the text of docs/sql.md: every table, column and function, generated from the same description that creates the
/// tables. `added` are the tables and columns that are not part of the file itself, such as the analyses.
std::string schema_markdown(const AddedTables& added);

}  // namespace snapviewer
