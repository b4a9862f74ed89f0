#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/query/query_control.h"
#include "core/query/row_filter.h"
#include "core/query/table.h"

struct sqlite3;

namespace snapviewer {

/// SQLite's number for the column "rowid", which is the number of the row.
inline constexpr int k_row_number = -1;

/// A Table as SQLite's queries use it, with what was learned from one query for the next.
class VirtualTable {
public:
    VirtualTable(Table table, QueryControl& control);

    const Table& table() const { return table_; }
    QueryControl& control() { return control_; }

    /// Sees to it that the values of a column may be read. False if the query has to end.
    bool prepare(const Column& column) { return !column.prepare || control_.caught_as_job(column.prepare).ok(); }

    /// Matches are remembered for the last few patterns.
    std::shared_ptr<TextMatch> text_match(const Column& column, ConstraintOperator comparison, std::string pattern);
    /// Rows in order of a column without those where it is NULL, or null as long as sorting them does not pay: a column
    /// that is looked up again and again, as in a join, gets sorted once.
    const std::vector<std::uint32_t>* lookup_rows(const Column& column);
    /// To be called when the rows have become others.
    void forget_rows();

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

/// Makes the tables known to a connection, which must be closed before they go, in its own database or in one that it has
/// attached. Returns an SQLite result code.
int create_virtual_tables(sqlite3* connection, VirtualTables& tables, const std::string& schema = "main");

/// "name TYPE, ..." as CREATE TABLE wants them.
std::string column_declarations(const Table& table);

}  // namespace snapviewer
