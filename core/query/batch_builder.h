#pragma once

#include "core/base/result.h"
#include "core/query/batches.h"
#include "core/query/virtual_table.h"

struct sqlite3_stmt;

namespace snapviewer {

/// Steps through a statement to its end or until the sink has enough, and hands its rows on in batches. Returns SQLite's
/// last status: SQLITE_DONE, SQLITE_ROW if the sink ended it, otherwise what went wrong. An error of ours is a value that
/// its column cannot hold.
Result<int> build_batches(sqlite3_stmt* statement, BatchSink& sink);

/// All rows of a table with all its columns, read in place without SQLite. Ends early, with an error, only when the query
/// has to end.
Status build_batches(VirtualTable& table, BatchSink& sink);

}  // namespace snapviewer
