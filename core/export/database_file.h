#pragma once

#include <cstddef>
#include <future>
#include <span>
#include <string>
#include <vector>

#include "core/base/context.h"
#include "core/query/database.h"
#include "core/sqlite/sqlite_handles.h"

namespace snapviewer {

/// A new SQLite database, written in one transaction. For the temporary file of an OutputFile. One thread at a time. Errors
/// that it throws have code io.
class DatabaseFile {
public:
    void begin(const std::string& path);
    void execute(const std::string& sql);
    void commit() { execute("COMMIT"); }
    /// Before the file gets another name, which Windows gives to none that is open. Nothing else can be called after it.
    void close() { connection_.reset(); }
    sqlite3* connection() const { return connection_.get(); }
    /// Throws SQLite's last error.
    [[noreturn]] void fail() const;

private:
    SqliteConnection connection_;
};

/// Inserts rows into one table of a new database, which must outlive it.
class TableFiller {
public:
    /// `columns` is the number of the table's columns.
    TableFiller(const DatabaseFile& file, const std::string& table, std::size_t columns);

    void row(std::span<const Cell> cells);

private:
    const DatabaseFile& file_;
    SqliteStatement statement_;
};

/// Inserts many rows into one table of a new database, which must outlive it: another thread inserts a block of rows, many
/// with one statement, while the caller brings the next block. Nothing else may use the database from begin() to finish().
/// begin() and row() return true or throw.
class TableCopier final : public RowSink {
public:
    /// Throws if the rows are more text than the budget allows.
    TableCopier(const DatabaseFile& file, std::string table) : file_(file), table_(std::move(table)) {}

    bool begin(std::span<const std::string> columns) override;
    bool row(std::span<const Cell> cells) override;
    /// Waits until all rows are inserted.
    void finish();

private:
    /// What is put in at once: rows of cells, of which those behind `count` are of an earlier block.
    struct Block {
        std::vector<Cell> cells;
        std::size_t count = 0;
        std::size_t text_bytes = 0;
    };

    void hand_over();
    void insert_block();

    const DatabaseFile& file_;
    std::string table_;
    Budget* budget_ = Context::current().budget;  ///< of whoever makes this; the query that brings the rows has none
    SqliteStatement one_row_, many_rows_;
    std::size_t column_count_ = 0;
    std::size_t rows_of_statement_ = 1;  ///< of many_rows_
    Block brought_, inserted_;
    std::future<void> inserting_;  ///< last, so that it ends before the rest goes
};

}  // namespace snapviewer
