#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/query/added_tables.h"
#include "core/query/query_control.h"

struct sqlite3;

namespace snapviewer {

/// A MadeTable as SQLite's queries use it.
struct MadeVirtualTable {
    MadeTable table;
    QueryControl& control;
};

using MadeVirtualTables = std::vector<std::unique_ptr<MadeVirtualTable>>;

/// Makes the tables known to a connection, which must be closed before they go. Returns an SQLite result code.
int create_made_tables(sqlite3* connection, const MadeVirtualTables& tables);
/// The same as tables of an attached database.
int create_made_tables_in(sqlite3* connection, const MadeVirtualTables& tables, const std::string& schema);

}  // namespace snapviewer
