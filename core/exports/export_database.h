#pragma once

#include <string>

#include "core/base/context.h"
#include "core/query/database.h"

namespace snapviewer {

/// Writes all tables of `database` into a new SQLite file. `allocs` becomes a view of the device with the index
/// `device_index`, because a table would contain the call stack once per allocation. Replaces `path` only when the file is
/// complete.
Status export_database(Database& database, const Snapshot& snapshot, std::size_t device_index, const std::string& path,
                       Progress& progress);

/// Writes SnapViewer's table `allocs` of one timeline into the empty file at `path`: allocations in drawing order, stacks
/// with one line "(0) file:line:function" per frame.
void write_snapviewer_elements(const Timeline& timeline, const std::string& path);

/// Advice for the error message if the output would exceed the budget.
inline constexpr const char* k_too_long_export = "nothing was written; snapviewer query with --limit 0 still gives its rows";

}  // namespace snapviewer
