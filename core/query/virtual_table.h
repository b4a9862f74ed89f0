#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/query/query_control.h"
#include "core/query/table.h"

struct sqlite3;

namespace snapviewer::query {

/// SQLite's column number for "rowid", which is the row number in our tables.
inline constexpr int k_row_number = -1;

/// A Table as an SQLite virtual table. Keeps caches that speed up later queries.
class VirtualTable {
public:
    VirtualTable(Table table, QueryControl& control);

    const Table& table() const { return table_; }
    QueryControl& control() { return control_; }

    /// Computes the values of a column if necessary, so that they can be read. False if the query has to end.
    bool prepare(const Column& column) { return !column.prepare || control_.caught_as_job(column.prepare).ok(); }

    /// Returns the TextMatch for a comparison with `pattern`. The matches of the last few patterns are cached.
    std::shared_ptr<TextMatch> text_match(const Column& column, ConstraintOperator comparison, std::string pattern);
    /// Returns the rows sorted by a column, without the rows where it is NULL. Sorts a column once, and only if it is looked
    /// up repeatedly, as in a join; returns null before that.
    const std::vector<std::uint32_t>* lookup_rows(const Column& column);
    /// Drops the sorted rows. Must be called when the rows of the table have changed.
    void drop_cached_rows();

private:
    struct Lookup {
        std::uint32_t count = 0;
        std::vector<std::uint32_t> rows;
    };

    Table table_;
    QueryControl& control_;
    std::vector<std::shared_ptr<TextMatch>> matches_;
    std::vector<Lookup> lookups_;
};

using VirtualTables = std::vector<std::unique_ptr<VirtualTable>>;

/// A TableFunction as an SQLite virtual table.
struct VirtualTableFunction {
    TableFunction table;
    QueryControl& control;
};
using VirtualTableFunctions = std::vector<std::unique_ptr<VirtualTableFunction>>;

/// Creates the tables in the database `schema` of a connection: its own, "main", or an attached one. Functions with
/// parameters are not in the list of tables of "main". The connection must be closed before the tables are destroyed.
/// Returns an SQLite result code.
int create_virtual_tables(sqlite3* connection, const VirtualTables& tables, const VirtualTableFunctions& functions,
                          const std::string& schema);

}  // namespace snapviewer::query
