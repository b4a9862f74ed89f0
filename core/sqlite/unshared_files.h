#pragma once

#include <sqlite3.h>

namespace snapviewer {

/// What SQLite is told of files that nobody else uses, so that they need no locks and no disk to write through to. Reading,
/// writing and closing are left to whoever has them.
constexpr sqlite3_io_methods methods_of_unshared_files() {
    sqlite3_io_methods methods{};  // the version says that none of the last ones is there
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
