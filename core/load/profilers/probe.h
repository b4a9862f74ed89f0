#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/import_log.h"
#include "core/base/result.h"
#include "core/sqlite/sqlite_file.h"

namespace snapviewer {

/// A column by its possible names, newest first.
using Spellings = std::initializer_list<std::string_view>;

/// Whether a database has a table of one of these names, or of each; by such names its kind is told.
bool has_any_table(const SqliteFile& file, std::initializer_list<std::string_view> names);
bool has_all_tables(const SqliteFile& file, std::initializer_list<std::string_view> names);

/// What a query asks of a row: a column by its possible names, or an SQL expression.
class Wanted {
public:
    Wanted(Spellings spellings) : spellings_(spellings) {}
    static Wanted expression(std::string sql);

    /// What to write into the query: NULL for a column that the table lacks.
    std::string sql(const SqliteFile& file, std::string_view table) const;
    bool is_expression() const { return !expression_.empty(); }

private:
    std::vector<std::string_view> spellings_;
    std::string expression_;
};

/// "SELECT a, b, NULL FROM t": what is asked for in its order, NULL for columns that the table lacks. Empty if the file has
/// no such table or it has none of the columns; expressions do not count.
std::string select_columns(const SqliteFile& file, std::string_view table, std::initializer_list<Wanted> wanted);

/// The number of a row as an SQL expression: NULL where rows have none, as those of views.
std::string row_number_of(SqliteFile& file, std::string_view table);

/// A query over one table. What cannot be run or is not asked for (no SQL) has no rows.
class TableRows {
public:
    TableRows(SqliteFile& file, std::string_view table, const std::string& sql);

    bool next() { return rows_ && rows_->next(); }
    SqliteRows& operator*() { return *rows_; }
    SqliteRows* operator->() { return &*rows_; }
    /// After the last row: throws Failure if reading was stopped or is beyond its budget; what else cut it short is
    /// noted, as the rows before are good.
    void note_end(ImportLog& log) const;
    /// What kept it from being read to its end, if anything did.
    std::optional<Error> damage() const;

private:
    std::string table_;
    std::optional<SqliteRows> rows_;
    std::optional<Error> failed_;
};

/// What TableRows::note_end() does of an error that damage() gave.
void note_damage(ImportLog& log, std::string_view table, const Error& error);

/// The value as a whole number; texts and reals that are numbers count. nullopt for NULL and for what is none.
std::optional<std::int64_t> whole_number(const SqliteRows& rows, int column);

}  // namespace snapviewer
