#pragma once

#include "core/base/result.h"
#include "core/query/batches.h"
#include "core/query/plain_loop.h"

struct sqlite3_stmt;

namespace snapviewer {

/// Goes on with a statement that was stepped once, with that `status`, to its end or until the sink has enough, and hands
/// its rows on in batches, with the names of the columns of what was `asked`. With a `loop`, which may be null, the rows are
/// read from their table. Returns SQLite's last status: SQLITE_DONE, SQLITE_ROW if the sink ended it, otherwise what went
/// wrong. An error of ours is a value that its column cannot hold.
Result<int> build_batches(sqlite3_stmt* asked, sqlite3_stmt* statement, int status, const PlainLoop* loop, BatchSink& sink);

}  // namespace snapviewer
