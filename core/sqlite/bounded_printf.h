#pragma once

struct sqlite3;

namespace snapviewer {

/// SQLite's printf and format with the same results, but for what is wider than a text may be: SQLite fills that in to the
/// end before it gives it up, two thousand million characters for each %.*c, and looks at no clock meanwhile. Here it is
/// "string or blob too big" at once. Returns an SQLite result code.
int create_bounded_printf(sqlite3* connection);

}  // namespace snapviewer
