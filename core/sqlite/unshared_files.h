#pragma once

#include <sqlite3.h>

namespace snapviewer {

/// SQLite file methods for private files: locking and syncing are no-ops. The caller sets the methods for reading, writing
/// and closing.
constexpr sqlite3_io_methods methods_of_unshared_files() {
    sqlite3_io_methods methods{};  // version 1 lacks the methods for shared memory and mapping
    methods.iVersion = 1;
    methods.xSync = [](sqlite3_file*, int) { return SQLITE_OK; };
    methods.xLock = [](sqlite3_file*, int) { return SQLITE_OK; };
    methods.xUnlock = [](sqlite3_file*, int) { return SQLITE_OK; };
    methods.xCheckReservedLock = [](sqlite3_file*, int* is_reserved) {
        *is_reserved = 0;
        return SQLITE_OK;
    };
    methods.xFileControl = [](sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; };
    methods.xSectorSize = [](sqlite3_file*) { return 4096; };
    return methods;
}

}  // namespace snapviewer
