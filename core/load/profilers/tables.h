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
#include "core/trace/snapshot.h"

namespace snapviewer {

/// The possible names of a column, newest first.
using Spellings = std::initializer_list<std::string_view>;

/// True if the database has any, or all, of these tables. Kinds of databases are recognised by the names of their tables.
bool has_any_table(const SqliteFile& file, std::initializer_list<std::string_view> names);
bool has_all_tables(const SqliteFile& file, std::initializer_list<std::string_view> names);

/// A value that a query selects: a column by its possible names, or an SQL expression.
class Wanted {
public:
    Wanted(Spellings spellings) : spellings_(spellings) {}
    static Wanted expression(std::string sql);

    /// The SQL to select; "NULL" if the table lacks the column.
    std::string sql(const SqliteFile& file, std::string_view table) const;
    bool is_expression() const { return !expression_.empty(); }

private:
    std::vector<std::string_view> spellings_;
    std::string expression_;
};

/// Builds "SELECT a, b, NULL FROM t" in the order of `wanted`, with NULL for missing columns. Empty if the file lacks the
/// table, or the table lacks all of the columns; expressions do not count as columns.
std::string select_columns(const SqliteFile& file, std::string_view table, std::initializer_list<Wanted> wanted);

/// An SQL expression for the row number: "rowid", or "NULL" if rows have no numbers, as in views.
std::string row_number_of(SqliteFile& file, std::string_view table);

/// A query over one table. Has no rows if `sql` is empty or the query fails.
class TableRows {
public:
    TableRows(SqliteFile& file, std::string_view table, const std::string& sql);

    bool next() { return rows_ && rows_->next(); }
    SqliteRows& operator*() { return *rows_; }
    SqliteRows* operator->() { return &*rows_; }
    /// Call this after the last row. Throws Failure if reading was stopped or exceeded its budget. Logs any other error,
    /// because the rows before it are valid.
    void note_end(ImportLog& log) const;
    /// The error that kept the table from being read to its end; nullopt if there was none.
    std::optional<Error> damage() const;

private:
    std::string table_;
    std::optional<SqliteRows> rows_;
    std::optional<Error> failed_;
};

/// Handles an error from damage() like TableRows::note_end(): throws or logs it.
void note_damage(ImportLog& log, std::string_view table, const Error& error);

/// The value as a whole number; converts texts and reals that represent numbers. nullopt for NULL and other values.
std::optional<std::int64_t> whole_number(const SqliteRows& rows, int column);

/// Converts the names and raw numbers in the rows of a database to the ids of a Snapshot. For databases with the contents of
/// a snapshot. Throws Failure if there are more distinct values than a Snapshot can count.
class SnapshotWords {
public:
    explicit SnapshotWords(Snapshot& snapshot);

    /// Keeps an unknown action under its own name, and logs it.
    Action action(std::string_view name);
    std::uint16_t stream(std::uint64_t raw);
    /// The trace of a device; creates it if it does not exist. The reference is valid until the next call.
    DeviceTrace& device(std::int64_t number);

private:
    Snapshot& snapshot_;
    std::optional<std::uint64_t> last_stream_;
    std::uint16_t last_stream_index_ = 0;
};

/// Formats a time since the Unix epoch for the details of an allocation, to the nanosecond: "2025-01-14 08:21:09.123456789
/// UTC".
std::string moment_text(std::int64_t time_ns);

/// Formats a duration: "1.250 ms".
std::string duration_text(std::int64_t duration_ns);

}  // namespace snapviewer
