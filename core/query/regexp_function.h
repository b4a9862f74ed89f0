#pragma once

struct sqlite3;

namespace snapviewer {

/// Registers the SQL function regexp(expression, text), which implements `text REGEXP expression`. It uses Expression and
/// ignores case. Only the text of a query can call it; views and triggers in an untrusted attached database cannot. Returns
/// an SQLite result code.
int create_regexp(sqlite3* connection);

}  // namespace snapviewer
