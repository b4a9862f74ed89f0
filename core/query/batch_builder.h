#pragma once

#include "core/base/result.h"
#include "core/query/batches.h"

struct sqlite3_stmt;

namespace snapviewer {

/// Steps a statement to its end, or until the sink has enough, and hands its rows on in batches. Returns SQLite's last
/// status: SQLITE_DONE, SQLITE_ROW if the sink ended it, otherwise what went wrong. An error of ours is a value that its
/// column cannot hold.
Result<int> build_batches(sqlite3_stmt* statement, BatchSink& sink);

/// Gives every parameter of a statement its value. The texts must live as long as the statement.
Status bind_parameters(sqlite3_stmt* statement, std::span<const QueryParameter> parameters);

}  // namespace snapviewer
