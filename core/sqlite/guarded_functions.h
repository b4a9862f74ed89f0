#pragma once

struct sqlite3;

namespace snapviewer {

/// Functions of SQLite whose time grows with a product of what they are given, or whose stack with the length of a path:
/// those that take paths into JSON, json_patch and unhex of two. They answer as SQLite does up to where that takes some
/// tenths of a second; beyond it they give an error at once. Returns an SQLite result code.
int create_guarded_functions(sqlite3* connection);

}  // namespace snapviewer
