#pragma once

struct sqlite3;

namespace snapviewer {

class SqliteControl;

/// The function regexp(expression, text), which `text REGEXP expression` calls: Expression, letters of either case. It ends
/// when the query has to. Only for who writes a query: views and triggers of a stranger's database cannot call it.
/// `control` must live as long as the connection. Returns an SQLite result code.
int create_regexp(sqlite3* connection, SqliteControl& control);

}  // namespace snapviewer
