#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/query/virtual_table.h"

struct sqlite3_stmt;

namespace snapviewer::query {

/// Type of a result column, from the least to the most general. A column has the first type that can hold all values of its
/// first batch; if they are all NULL, it has the type that its table declares. A text column holds numbers as SQL writes
/// them, and a blob column holds the bytes of texts.
enum class ColumnType : std::uint8_t { null, integer, real, text, blob };

/// The values of one column in a batch. `type` says whether `integers`, `reals`, or `ends` and `bytes` are filled. NULL is
/// stored as 0 or as an empty text.
struct BatchColumn {
    ColumnType type = ColumnType::null;
    std::size_t null_count = 0;
    std::vector<std::uint8_t> valid_bits;  ///< One bit per row, lowest bit first, 0 for NULL; empty if no value is NULL
    std::vector<std::int64_t> integers = {};
    std::vector<double> reals = {};
    std::vector<std::int32_t> ends = {0};  ///< Offsets for text and blob: row i is bytes[ends[i]] to bytes[ends[i + 1]]
    std::string bytes = {};                ///< UTF-8 for text, with U+FFFD for invalid bytes; raw bytes for blob
};

/// A part of a query's result, stored column by column.
struct RowBatch {
    std::size_t row_count = 0;
    std::vector<BatchColumn> columns;
};

/// Receives the rows of a query in batches.
class BatchSink {
public:
    virtual ~BatchSink() = default;
    /// Called once, before the first batch. Column names may repeat.
    virtual void begin(std::span<const std::string> columns) = 0;
    /// Called at least once: a result without rows arrives as one batch without rows. All batches have the same column
    /// types. Returns whether to continue.
    virtual bool batch(RowBatch batch) = 0;
};

inline constexpr std::size_t k_rows_per_batch = std::size_t{1} << 16;
/// Size limit for the texts and blobs of one batch. A batch ends with the row that reaches it.
inline constexpr std::size_t k_bytes_per_batch = std::size_t{8} << 20;

/// Steps through `statement` until its end or until the sink returns false, and passes its rows to the sink in batches.
/// Returns SQLite's last status: SQLITE_DONE at the end, SQLITE_ROW if the sink stopped early, otherwise an SQLite error.
/// Returns an Error if a column's type cannot hold a value.
Result<int> build_batches(sqlite3_stmt* statement, BatchSink& sink);

/// Passes all rows and columns of a table to the sink, read in place without SQLite. Fails only if the query has to end
/// (QueryControl::must_end()).
Status build_batches(VirtualTable& table, BatchSink& sink);

}  // namespace snapviewer::query
