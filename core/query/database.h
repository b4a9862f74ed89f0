#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/context.h"
#include "core/base/fields.h"
#include "core/base/result.h"
#include "core/sqlite/sqlite_file.h"
#include "core/timeline/timeline.h"

struct sqlite3;

namespace snapviewer::query {

/// A value for a parameter of a query: ":name", "@name" or "$name". The n-th "?" has the number n as its name, counted from
/// "1".
struct QueryParameter {
    std::string name;  ///< Name with or without its prefix: ":step" or "step"
    Cell value;
};

/// Limits of a query. The result is truncated at the limits for rows and bytes. The query fails at the limits for time and
/// memory, and when asked to stop.
struct QueryLimits {
    std::size_t max_rows = 100'000;
    double max_seconds = 30.0;
    std::size_t max_bytes = 256U << 20;               ///< Maximum size of all values of the result together
    std::size_t max_memory_bytes = 1U << 30;          ///< Maximum memory that SQLite may use for sorting and grouping
    std::span<const QueryParameter> parameters = {};  ///< Values of the parameters; if empty, every parameter is NULL
    Progress* progress = nullptr;                     ///< Source of stop requests, may be null; must outlive the query
};

/// The table column that a result column shows, even if the query renames it.
struct ColumnOrigin {
    std::string table;   ///< Table name, "file.orders" in an attached file; empty for a computed value
    std::string column;  ///< Column name; empty for a computed value
    bool operator==(const ColumnOrigin&) const = default;
};

/// The result of a query. All rows are in memory.
struct QueryResult {
    std::vector<std::string> columns;
    std::vector<ColumnOrigin> origins = {};  ///< Origin of each column
    std::vector<Cell> cells;                 ///< Cells row by row, columns.size() per row
    bool truncated = false;                  ///< True if max_rows or max_bytes was reached and rows are missing
    double elapsed_ms = 0;

    std::size_t row_count() const { return columns.empty() ? 0 : cells.size() / columns.size(); }
    const Cell& cell(std::size_t row, std::size_t column) const { return cells[row * columns.size() + column]; }
};

/// Receives the rows of a query one by one, so that the result need not be kept in memory.
class RowSink {
public:
    virtual ~RowSink() = default;
    /// Called once, before the first row. Column names may repeat. Returns whether to continue.
    virtual bool begin(std::span<const std::string> columns) = 0;
    /// Called for each row. Returns whether to continue.
    virtual bool row(std::span<const Cell> cells) = 0;
};

/// An additional column for one of the tables that read the snapshot in place.
struct AddedColumn {
    std::string table;
    std::string key;     ///< Integer column of that table whose value is passed to the field
    std::string before;  ///< Name of the column to insert this one before; empty appends it
    /// Reads NULL, an integer or a text from a key that is not NULL.
    Field<std::int64_t> field;
    /// Called before a query reads the first value of the column, to compute data that all values need. Throws a Failure if
    /// the query is stopped.
    std::function<void()> prepare;
};

/// Additional tables and columns of a Database. If there are none, it shows only the contents of the file.
struct AddedTables {
    std::vector<TableFunction> tables;
    std::vector<AddedColumn> columns;
};

class BatchSink;

/// SQL over an open file. The tables are virtual: they read the snapshot and the timelines in place, so creating a database
/// takes about a millisecond for a file of any size. Queries can neither write nor open other files.
///
/// Thread-safe. Queries run one at a time; a second caller waits.
///
///     const auto result = document.database->run("SELECT size FROM allocations ORDER BY size DESC", {.max_rows = 10});
///     if (!result) return report(result.error());  // says what is wrong with the SQL, or that it took too long
///     for (std::size_t row = 0; row < result->row_count(); ++row) show(result->cell(row, 0));
class Database {
public:
    /// Creates a database. `timelines` is parallel to snapshot->devices. `files` are the databases that the snapshot was
    /// read from, if any. They stay open, and queries can read their tables beside ours, and the `views` of them. If two
    /// files have a table of the same name, the table of the first file is used. Takes about a millisecond.
    static Result<std::shared_ptr<Database>> create(std::shared_ptr<const Snapshot> snapshot,
                                                    std::vector<std::shared_ptr<const Timeline>> timelines,
                                                    std::vector<sqlite::AttachedFile> files = {},
                                                    std::vector<sqlite::SqlView> views = {}, AddedTables added = {});
    virtual ~Database() = default;

    /// Runs one statement. An error has SQLite's own message and, in `offset`, the byte of `sql` that it refers to. Fails
    /// with ErrorCode::cancelled within milliseconds when asked to stop.
    virtual Result<QueryResult> run(std::string_view sql, const QueryLimits& limits) = 0;
    /// Runs one statement and passes its rows to `sink` one by one. Succeeds if the sink stops early. `progress` may be
    /// null.
    virtual Status run_each(std::string_view sql, double max_seconds, Progress* progress, RowSink& sink) = 0;
    /// Runs one statement and passes its rows to `sink` in batches of at most k_rows_per_batch rows. Every parameter of the
    /// statement needs a value, and every value a parameter; the n-th "?" has the name "?n". `progress` may be null. Fails
    /// as run() does, and also if a value does not fit the type that its column got from the first batch. Succeeds if the
    /// sink stops early. Takes a tenth of the time of reading rows one by one from a script.
    virtual Status run_batches(std::string_view sql, std::span<const QueryParameter> parameters, double max_seconds,
                               Progress* progress, BatchSink& sink) = 0;
    /// Passes all rows and columns of one of our tables to `sink`, without SQL: the same as `SELECT * FROM table`, in a
    /// fraction of the time. Table functions and tables of a profiler's own file are not supported. Fails if no such table
    /// exists, and when stopped.
    virtual Status scan_table(std::string_view table, Progress* progress, BatchSink& sink) = 0;
    /// Opens another database over the same file, so that queries can run while this one is busy.
    virtual Result<std::shared_ptr<Database>> open_another() const = 0;
    /// Creates one database over two files, A and B; this database is of A. A name without a schema refers to A, including
    /// the tables of a profiler's own file. Every table and table function that we describe also exists as a.NAME for A and
    /// as b.NAME for B. The tables of a profiler's own file in B, and the views of them, are not available. Limits and stop
    /// requests work as in any Database. set_allocs_device() applies to A; `b.allocs` always shows the device with the index
    /// `allocs_device_b`. `file_b` is the name of B in the schema. Shares ownership of both snapshots and reads them in
    /// place. Takes as long as opening two databases.
    virtual Result<std::shared_ptr<Database>> joined_with(const Database& b, const std::string& file_b,
                                                          std::size_t allocs_device_b) const = 0;
    /// Sets the device (index into snapshot->devices) that the table `allocs` shows from the next query on. Never blocks.
    virtual void set_allocs_device(std::size_t device_index) = 0;
    /// Descriptions of all tables, in the order in which a reader should see them.
    virtual std::span<const sqlite::TableDoc> schema() const = 0;
};

/// Returns the allocations.id of the first allocation of a device. The ids count through all devices.
std::int64_t first_allocation_row(const Snapshot& snapshot, std::size_t device_index);

/// Text format of a result: aligned columns for people, CSV (RFC 4180), or JSON (a list of objects).
enum class TableFormat : std::uint8_t { table, csv, json };
std::string format_result(const QueryResult& result, TableFormat format);

/// Documentation of an SQL function that snapviewer adds to SQLite's own functions.
struct FunctionDoc {
    std::string_view usage;
    std::string_view text;
};

std::span<const FunctionDoc> function_docs();
bool is_our_function(std::string_view name);  ///< True for a function of function_docs(); case-insensitive

/// Registers the functions of function_docs() with `connection`. Only the text of a query can call regexp(expression, text),
/// which implements `text REGEXP expression`; views and triggers in an untrusted attached database cannot. Returns an SQLite
/// result code.
int create_functions(sqlite3* connection);

/// Receives text in pieces. Returns whether to continue.
using TextOutput = std::function<bool(std::string_view)>;

/// Writes rows as CSV or JSON while they arrive.
class ResultWriter : public RowSink {
public:
    /// Must be called after the last row.
    virtual void end() = 0;
};

/// How texts are written to a CSV file. `exact` keeps them unchanged, for programs. `safe` is for spreadsheets, which
/// evaluate a text that begins with = + - @, a tab or a line break as a formula: such a text gets a leading apostrophe.
enum class CsvTexts : std::uint8_t { exact, safe };

std::unique_ptr<ResultWriter> make_csv_writer(TextOutput output, CsvTexts texts = CsvTexts::exact);
std::unique_ptr<ResultWriter> make_json_writer(TextOutput output);

}  // namespace snapviewer::query
