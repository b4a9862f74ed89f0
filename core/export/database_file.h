#pragma once

#include <cstddef>
#include <future>
#include <span>
#include <string>
#include <vector>

#include "core/base/answer_budget.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/query/database.h"
#include "core/sqlite/sqlite_handles.h"

namespace snapviewer {

/// A new SQLite database, written in one transaction. For the temporary file of an OutputFile. One thread at a time.
class DatabaseFile {
public:
    /// False after an error, as the others; failure() then says why.
    bool begin(const std::string& path);
    bool execute(const std::string& sql);
    bool commit() { return execute("COMMIT"); }
    /// Before the file gets another name, which Windows gives to none that is open. Nothing else can be called after it.
    void close() { connection_.reset(); }
    sqlite3* connection() const { return connection_.get(); }
    /// Code io.
    Status failure() const;

private:
    SqliteConnection connection_;
};

/// Puts rows into one table of a new database, which must outlive it.
class TableFiller final : public RowSink {
public:
    TableFiller(const DatabaseFile& file, std::string table, Progress& progress)
        : connection_(file.connection()), table_(std::move(table)), progress_(progress) {}

    /// For as many columns as the table has.
    bool begin(std::span<const std::string> columns) override;
    bool row(std::span<const Cell> cells) override;
    /// Whether all rows are in.
    bool ok() const { return status_ == 0; }

private:
    sqlite3* connection_;
    std::string table_;
    Progress& progress_;
    SqliteStatement statement_;
    int status_ = 0;
};

/// The same for many rows: they are put in by another thread, many with one statement, while the next ones are brought. From
/// begin() to finish() nobody else may use the database.
class TableCopier final : public RowSink {
public:
    /// Takes no more text than the budget allows.
    TableCopier(const DatabaseFile& file, std::string table, AnswerBudget& budget, Progress& progress)
        : connection_(file.connection()), table_(std::move(table)), budget_(budget), progress_(progress) {}

    bool begin(std::span<const std::string> columns) override;
    bool row(std::span<const Cell> cells) override;
    /// Waits for all rows. Whether they are in.
    bool finish();
    /// Whether the rows ended because they were too much text.
    bool is_too_long() const { return is_too_long_; }

private:
    /// What is put in at once: rows of cells, of which those behind `count` are of an earlier block.
    struct Block {
        std::vector<Cell> cells;
        std::size_t count = 0;
        std::size_t text_bytes = 0;
    };

    bool hand_over();
    int insert_block();

    sqlite3* connection_;
    std::string table_;
    AnswerBudget& budget_;
    bool is_too_long_ = false;
    Progress& progress_;
    SqliteStatement one_row_, many_rows_;
    std::size_t column_count_ = 0;
    std::size_t rows_of_statement_ = 1;  ///< of many_rows_
    int status_ = 0;
    Block brought_, inserted_;
    std::future<int> inserting_;  ///< last, so that it ends before the rest goes
};

}  // namespace snapviewer
