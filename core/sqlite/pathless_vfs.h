#pragma once

#include <string>

#include "core/system/file_handle.h"

struct sqlite3_file;

namespace snapviewer {

/// The name of a file system for SQLite that knows no paths: a file is one that is open already, which is read only, or a
/// temporary one without a name. Temporary files, what a statement puts aside to sort, lie in SQLite's own memory and so are
/// counted. SQLite takes them for a disk's, sorts a piece at a time and can be stopped in between; told to sort in memory,
/// it would do all in one step that looks at nothing. Thread-safe.
const char* pathless_vfs();

/// The URI under which SQLite reads a database that is open already. Good as long as the handle; connections that are open
/// by then go on. Thread-safe.
std::string uri_of_open_file(const FileHandle& file);

/// Opens a temporary file into the memory that SQLite reserves for one, which is at least k_temporary_file_bytes. Returns an
/// SQLite result code.
int open_temporary_file(sqlite3_file* file);
inline constexpr int k_temporary_file_bytes = 64;

}  // namespace snapviewer
