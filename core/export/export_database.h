#pragma once

#include <string>

#include "core/base/progress.h"
#include "core/query/database.h"

namespace snapviewer {

/// Writes every table of ours into a new SQLite file. `allocs` becomes a view of the device with that index, since its call
/// stacks would be written once per allocation otherwise. Replaces `path` only when complete.
Status export_database(Database& database, const Snapshot& snapshot, std::size_t device_index, const std::string& path,
                       Progress& progress);

/// Writes SnapViewer's table `allocs` of one picture into the empty file at `path`: allocations in drawing order, stacks as
/// "(0) file:line:function", a line a frame.
void write_snapviewer_elements(const Timeline& timeline, const std::string& path);

/// What to do where a file would be larger than an answer may be.
inline constexpr const char* k_too_long_export = "nothing was written; snapviewer query with --limit 0 still gives its rows";

}  // namespace snapviewer
