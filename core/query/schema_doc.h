#pragma once

#include <string>

namespace snapviewer {

/// docs/sql.md: every table, column and function, from the same description that makes the tables.
std::string schema_markdown();

}  // namespace snapviewer
