#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/query/database.h"
#include "core/query/sqlite_file.h"

struct sqlite3;

namespace snapviewer {

/// Makes the tables of an open file tables of a connection that was opened with SQLITE_OPEN_URI: under their own names where
/// no table that was there before has that name, and always as SCHEMA.NAME. Reads them in place.
Status attach_file(sqlite3* connection, const AttachedFile& attached);

/// Makes views of attached files. Those that SQLite refuses are an error.
Status create_views(sqlite3* connection, const std::vector<SqlView>& views);

/// What the file's tables and columns are called; with the schema in front where one of the tables `before` it has the same
/// name.
std::vector<TableDoc> describe_file(const AttachedFile& attached, const std::vector<TableDoc>& before);

}  // namespace snapviewer
