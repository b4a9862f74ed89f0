#pragma once

struct sqlite3;

namespace snapviewer {

/// The function regexp(expression, text), which `text REGEXP expression` calls: Expression, letters of either case.
/// Only for who writes a query: views and triggers of a stranger's database cannot call it.
/// Returns an SQLite result code.
int create_regexp(sqlite3* connection);

}  // namespace snapviewer
