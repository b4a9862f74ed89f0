#pragma once

#include "core/base/result.h"
#include "core/query/batches.h"

struct sqlite3_stmt;

namespace snapviewer {

/// Steps a statement to its end, or until the sink has enough, and hands its rows on in batches. Returns SQLite's last
/// status: SQLITE_DONE, SQLITE_ROW if the sink ended it, otherwise what went wrong. An error of ours is a value that its
/// column cannot hold.
Result<int> build_batches(sqlite3_stmt* statement, BatchSink& sink);

}  // namespace snapviewer
