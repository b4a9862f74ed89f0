#pragma once

#include "core/base/result.h"
#include "core/query/batches.h"
#include "core/query/virtual_table.h"

struct sqlite3_stmt;

namespace snapviewer {

/// Steps through `statement` until its end or until the sink returns false, and passes its rows to the sink in batches.
/// Returns SQLite's last status: SQLITE_DONE at the end, SQLITE_ROW if the sink stopped early, otherwise an SQLite error.
/// Returns an Error if a column's type cannot hold a value.
Result<int> build_batches(sqlite3_stmt* statement, BatchSink& sink);

/// Passes all rows and columns of a table to the sink, read in place without SQLite. Fails only if the query has to end
/// (QueryControl::must_end()).
Status build_batches(VirtualTable& table, BatchSink& sink);

}  // namespace snapviewer
