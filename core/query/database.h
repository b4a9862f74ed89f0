#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/sqlite/attached_file.h"
#include "core/timeline/timeline.h"

namespace snapviewer {

/// One value of a result: NULL, integer, real or text (blobs come as hex text).
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

/// What a ":name", "@name" or "$name" in a query stands for; the n-th "?" is named by its number, from "1" on.
struct QueryParameter {
    std::string name;  ///< ":step" or "step"
    Cell value;
};

/// Where a query is cut short (rows) or given up (time, and when asked to stop).
struct QueryLimits {
    std::size_t max_rows = 100'000;
    double max_seconds = 30.0;
    std::size_t max_bytes = 256U << 20;               ///< of all values of the result together
    std::size_t max_memory_bytes = 1U << 30;          ///< of SQLite, to sort and group
    std::span<const QueryParameter> parameters = {};  ///< without any, each stands for NULL
    Progress* progress = nullptr;                     ///< asked whether to stop; lives as long as the query runs
};

/// The column of a table whose values a column of a result holds, whatever it is called there.
struct ColumnOrigin {
    std::string table;   ///< "allocations", "file.orders" of an attached file; empty for what was computed
    std::string column;  ///< likewise
    bool operator==(const ColumnOrigin&) const = default;
};

/// The rows of a query, all of them in memory.
struct QueryResult {
    std::vector<std::string> columns;
    std::vector<ColumnOrigin> origins = {};  ///< of the columns
    std::vector<Cell> cells;                 ///< row after row, columns.size() each
    bool truncated = false;                  ///< stopped at max_rows or max_bytes; there are more
    double elapsed_ms = 0;

    std::size_t row_count() const { return columns.empty() ? 0 : cells.size() / columns.size(); }
    const Cell& cell(std::size_t row, std::size_t column) const { return cells[row * columns.size() + column]; }
};

/// Takes the rows of a query one by one, for results that need not be kept.
class RowSink {
public:
    virtual ~RowSink() = default;
    /// Called once, before the first row; duplicate names are possible. Returns whether to go on.
    virtual bool begin(std::span<const std::string> columns) = 0;
    /// Returns whether to go on.
    virtual bool row(std::span<const Cell> cells) = 0;
};

/// SQL over an open file. The tables are virtual: they read the snapshot and the timelines in place, so that creating a
/// database costs about a millisecond whatever the file's size. Nothing can be written through it, no other file reached.
///
/// One query at a time; a second caller waits.
///
///     const auto result = document.database->run("SELECT size FROM allocations ORDER BY size DESC", {.max_rows = 10});
///     if (!result) return report(result.error());  // says what is wrong with the SQL, or that it took too long
///     for (std::size_t row = 0; row < result->row_count(); ++row) show(result->cell(row, 0));
class Database {
public:
    /// `timelines` parallel to snapshot->devices. `files`, the databases that the snapshot came from if it did, stay open
    /// and their tables answer beside ours, with `views` of them. Of tables of one name that of the first file wins.
    static Result<std::shared_ptr<Database>> create(std::shared_ptr<const Snapshot> snapshot,
                                                    std::vector<std::shared_ptr<const Timeline>> timelines,
                                                    std::vector<AttachedFile> files = {},
                                                    const std::vector<SqlView>& views = {});
    virtual ~Database() = default;

    /// Runs one statement. An error carries SQLite's own message and, in `offset`, the byte of `sql` it is about; it is
    /// ErrorCode::cancelled, within milliseconds, when asked to stop.
    virtual Result<QueryResult> run(std::string_view sql, const QueryLimits& limits) = 0;
    /// The same, handing out row after row. Succeeds also when the sink ends it. `progress` may be null.
    virtual Status run_each(std::string_view sql, double max_seconds, Progress* progress, RowSink& sink) = 0;
    /// The device (index into snapshot->devices) that the table `allocs` shows from the next query on. Never waits.
    virtual void set_allocs_device(std::size_t device_index) = 0;
    /// Tables in the order in which they should be read about.
    virtual std::span<const TableDoc> schema() const = 0;
};

/// allocations.id counts all devices through: the first of device index d has this id.
std::int64_t first_allocation_row(const Snapshot& snapshot, std::size_t device_index);

/// How the rows of a result are written: as aligned columns for people, as CSV (RFC 4180), or as JSON (a list of objects).
enum class TableFormat : std::uint8_t { table, csv, json };
std::string format_result(const QueryResult& result, TableFormat format);

}  // namespace snapviewer
