#pragma once

#include <span>
#include <string>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/query/database.h"
#include "core/sqlite/sqlite_handles.h"

namespace snapviewer {

/// A new SQLite database, written in one transaction. For the draft of an OutputFile. One thread at a time.
class DatabaseFile {
public:
    /// False after an error, as the others; failure() then says why.
    bool begin(const std::string& path);
    bool execute(const std::string& sql);
    bool commit() { return execute("COMMIT"); }
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

}  // namespace snapviewer
