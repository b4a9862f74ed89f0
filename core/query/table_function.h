#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/query/added_tables.h"
#include "core/query/query_control.h"

struct sqlite3;

namespace snapviewer {

/// A TableFunction as SQLite's queries use it.
struct TableFunctionModule {
    TableFunction table;
    QueryControl& control;
};

using TableFunctionModules = std::vector<std::unique_ptr<TableFunctionModule>>;

/// Makes the tables known to a connection, which must be closed before they go. Returns an SQLite result code.
int create_table_functions(sqlite3* connection, const TableFunctionModules& tables);
/// The same as tables of an attached database.
int create_table_functions_in(sqlite3* connection, const TableFunctionModules& tables, const std::string& schema);

}  // namespace snapviewer
