#pragma once

struct sqlite3_file;

namespace snapviewer {

/// The name of a file system for SQLite that is the usual one, but for files without a name: what a statement puts aside, as
/// to sort, stays in memory, in SQLite's own and therefore counted. SQLite takes it for a disk, so it sorts a piece at a
/// time and can be stopped in between; told to sort in memory, it would do all in one step that looks at nothing.
/// Thread-safe.
const char* temporary_vfs();

/// Opens such a file into the memory that SQLite reserves for one, which is at least k_temporary_file_bytes. Returns an
/// SQLite result code.
int open_temporary_file(sqlite3_file* file);
inline constexpr int k_temporary_file_bytes = 64;

}  // namespace snapviewer
