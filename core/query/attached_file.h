#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/query/database.h"
#include "core/query/sqlite_file.h"

struct sqlite3;

namespace snapviewer {

/// Makes the tables of an open file tables of a connection that was opened with SQLITE_OPEN_URI: under their own names where
/// no table of ours has that name, and always as file.NAME. Reads them in place. Views of them that SQLite refuses are an
/// error.
Status attach_file(sqlite3* connection, const SqliteFile& file, const std::vector<SqlView>& views);

/// What the file's tables and columns are called; with "file." in front where one of `ours` has the same name.
std::vector<TableDoc> describe_file(SqliteFile& file, const std::vector<TableDoc>& ours);

}  // namespace snapviewer
