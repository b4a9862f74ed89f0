#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/query/database.h"
#include "core/query/query_control.h"

struct sqlite3;

namespace snapviewer {

/// A TableFunction with the state that its SQLite virtual table needs.
struct TableFunctionModule {
    TableFunction table;
    QueryControl& control;
};

using TableFunctionModules = std::vector<std::unique_ptr<TableFunctionModule>>;

/// Registers the tables with a connection, which must be closed before `tables` is destroyed. Returns an SQLite result code.
int create_table_functions(sqlite3* connection, const TableFunctionModules& tables);
/// Creates the tables in the attached database `schema` of a connection, which must be closed before `tables` is destroyed.
/// Returns an SQLite result code.
int create_table_functions_in(sqlite3* connection, const TableFunctionModules& tables, const std::string& schema);

}  // namespace snapviewer
