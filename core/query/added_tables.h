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

/// The rows of a table that was worked out. Immutable; read by one thread at a time.
class FunctionRows {
public:
    virtual ~FunctionRows() = default;
    virtual std::size_t count() const = 0;
    virtual Cell cell(std::size_t row, std::size_t column) const = 0;
};

/// A table whose rows are worked out when a query first reads it; with parameters, a function: `SELECT * FROM layout(17)`.
struct TableFunction {
    std::string name;
    std::string doc;
    std::vector<ColumnDoc> columns;
    std::vector<ColumnDoc> parameters = {};
    /// Called once per reading of the table; caches what is expensive. `arguments` are those of the query, NULL if it leaves
    /// one out. Throws a Failure when stopped, and with a sentence if an argument makes no sense.
    std::function<std::shared_ptr<const FunctionRows>(std::span<const Cell> arguments)> make;
};

/// A column more in one of the tables that read the snapshot in place.
struct AddedColumn {
    std::string table;
    std::string key;     ///< integer column of that table which tells what the value depends on
    std::string before;  ///< column in front of which it stands; empty: it is the last
    std::string name;
    std::string doc;
    bool is_text = false;
    /// Called before a query reads the first value, to compute what the values need. Throws a Failure when stopped.
    std::function<void()> prepare;
    /// NULL, an integer or a text, for a key that is not NULL.
    std::function<Cell(std::int64_t key)> value;
};

/// What whoever opens a database adds to its tables: the database itself knows the file alone.
struct AddedTables {
    std::vector<TableFunction> tables;
    std::vector<AddedColumn> columns;
};

/// Database::create() with more in it.
Result<std::shared_ptr<Database>> create_database(std::shared_ptr<const Snapshot> snapshot,
                                                  std::vector<std::shared_ptr<const Timeline>> timelines,
                                                  std::vector<AttachedFile> files, const std::vector<SqlView>& views,
                                                  AddedTables added);

/// Rows of one kind: `read(row, column)` gives their cells.
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

/// A cell of what may be missing.
inline Cell integer_cell(std::optional<std::int64_t> value) { return value ? Cell(*value) : Cell(); }
/// SQLite has no unsigned integers: from 2^63 on they come out negative.
inline Cell size_cell(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace snapviewer
