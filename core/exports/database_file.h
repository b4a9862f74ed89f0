#pragma once

#include <cstddef>
#include <future>
#include <span>
#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/query/database.h"
#include "core/sqlite/connection.h"

namespace snapviewer::exports {

/// A new SQLite database that is written in one transaction. Meant for the temporary file of an OutputFile. Not thread-safe.
/// Throws errors with ErrorCode::io.
class DatabaseFile {
public:
    void begin(const std::string& path);
    void execute(const std::string& sql);
    void commit() { execute("COMMIT"); }
    /// Closes the file. Required before the file is renamed, because Windows cannot rename an open file. No other function
    /// may be called afterwards.
    void close() { connection_.reset(); }
    sqlite3* connection() const { return connection_.get(); }
    /// Throws the connection's last error.
    [[noreturn]] void fail() const;

private:
    sqlite::SqliteConnection connection_;
};

/// Inserts rows one by one into a table of a new database, which must outlive this object.
class TableFiller {
public:
    /// Prepares the statement. `columns` is the number of the table's columns.
    TableFiller(const DatabaseFile& file, const std::string& table, std::size_t columns);

    void row(std::span<const Cell> cells);

private:
    const DatabaseFile& file_;
    sqlite::SqliteStatement statement_;
};

/// Creates a table in a new database, which must outlive the result.
TableFiller create_table(DatabaseFile& file, const sqlite::TableDoc& table);

/// Inserts many rows into one table of a new database, which must outlive this object. Another thread inserts a block of
/// rows, many with one statement, while the caller supplies the next block. Nothing else may use the database from begin()
/// to finish(). begin() and row() return true or throw.
class TableCopier final : public query::RowSink {
public:
    /// Creates a copier for `table`. row() throws if the texts exceed the budget of the current Context.
    TableCopier(const DatabaseFile& file, std::string table) : file_(file), table_(std::move(table)) {}

    bool begin(std::span<const std::string> columns) override;
    bool row(std::span<const Cell> cells) override;
    /// Blocks until all rows are inserted. Throws errors of the inserting thread.
    void finish();

private:
    /// Rows that are inserted together. `cells` may hold cells of an earlier block after the first `count` rows.
    struct Block {
        std::vector<Cell> cells;
        std::size_t count = 0;
        std::size_t text_bytes = 0;
    };

    void pass_block();
    void insert_block();

    const DatabaseFile& file_;
    std::string table_;
    Budget* budget_ = Context::current().budget;  ///< Budget of the creator's Context; the query runs in another Context
    sqlite::SqliteStatement one_row_, many_rows_;
    std::size_t column_count_ = 0;
    std::size_t rows_of_statement_ = 1;  ///< Rows per execution of many_rows_
    Block filling_, inserted_;
    std::future<void> inserting_;  ///< Last member, so that the thread ends before the other members are destroyed
};

}  // namespace snapviewer::exports
