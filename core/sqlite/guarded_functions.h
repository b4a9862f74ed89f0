#pragma once

struct sqlite3;

namespace snapviewer {

/// SQLite's printf and format with the same results, but for what is wider than a text may be: SQLite fills that in to the
/// end before it gives it up, two thousand million characters for each %.*c, and looks at no clock meanwhile. Here it is
/// "string or blob too big" at once. Returns an SQLite result code.
int create_bounded_printf(sqlite3* connection);

}  // namespace snapviewer

struct sqlite3;

namespace snapviewer {

/// Functions of SQLite whose time grows with a product of what they are given, or whose stack with the length of a path:
/// those that take paths into JSON, json_patch and unhex of two. They answer as SQLite does up to where that takes some
/// tenths of a second; beyond it they give an error at once. Returns an SQLite result code.
int create_guarded_functions(sqlite3* connection);

}  // namespace snapviewer
