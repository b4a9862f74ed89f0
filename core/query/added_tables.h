#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/query/database.h"

namespace snapviewer {

/// The rows that a TableFunction computed for one table scan. Immutable; used by one thread at a time.
class FunctionRows {
public:
    virtual ~FunctionRows() = default;
    virtual std::size_t count() const = 0;
    virtual Cell cell(std::size_t row, std::size_t column) const = 0;
};

/// A table whose rows are computed when a query first reads it. With parameters it is a table-valued function: `SELECT *
/// FROM layout(17)`.
struct TableFunction {
    std::string name;
    std::string doc;
    std::vector<ColumnDoc> columns;
    std::vector<ColumnDoc> parameters = {};
    /// Computes the rows. Called once per table scan, so it should cache expensive results. `arguments` are the query's
    /// arguments in the order of `parameters`; an omitted one is NULL. Throws a Failure if the query is stopped or if an
    /// argument is invalid; its message is then a sentence for the user.
    std::function<std::shared_ptr<const FunctionRows>(std::span<const Cell> arguments)> make;
};

/// An additional column for one of the tables that read the snapshot in place.
struct AddedColumn {
    std::string table;
    std::string key;     ///< Integer column of that table whose value is passed to `value`
    std::string before;  ///< Name of the column to insert this one before; empty appends it
    std::string name;
    std::string doc;
    bool is_text = false;
    /// Called before a query reads the first value of the column, to compute data that all values need. Throws a Failure if
    /// the query is stopped.
    std::function<void()> prepare;
    /// Returns the cell for a non-NULL key: NULL, an integer or a text.
    std::function<Cell(std::int64_t key)> value;
};

/// Additional tables and columns for create_database(). Without them, a Database shows only the contents of the file.
struct AddedTables {
    std::vector<TableFunction> tables;
    std::vector<AddedColumn> columns;
};

/// Creates a database as Database::create() does, with the additional tables and columns in `added`.
Result<std::shared_ptr<Database>> create_database(std::shared_ptr<const Snapshot> snapshot,
                                                  std::vector<std::shared_ptr<const Timeline>> timelines,
                                                  std::vector<AttachedFile> files, const std::vector<SqlView>& views,
                                                  AddedTables added);

/// FunctionRows over a vector. `read(row, column)` returns a cell of one row.
template <typename Row, typename Read>
class ListedRows final : public FunctionRows {
public:
    ListedRows(std::vector<Row> rows, Read read) : rows_(std::move(rows)), read_(std::move(read)) {}
    std::size_t count() const override { return rows_.size(); }
    Cell cell(std::size_t row, std::size_t column) const override { return read_(rows_[row], column); }

private:
    std::vector<Row> rows_;
    Read read_;
};

template <typename Row, typename Read>
std::shared_ptr<const FunctionRows> list_rows(std::vector<Row> rows, Read read) {
    return std::make_shared<ListedRows<Row, Read>>(std::move(rows), std::move(read));
}

/// Converts an optional integer to a cell; nullopt becomes NULL.
inline Cell integer_cell(std::optional<std::int64_t> value) { return value ? Cell(*value) : Cell(); }
/// Converts an unsigned integer to a cell. SQLite integers are signed, so values from 2^63 on become negative.
inline Cell size_cell(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace snapviewer
