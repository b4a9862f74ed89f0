#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/query/database.h"

namespace snapviewer {

/// What the values of a result's column are, from the least to the most general: a column has the first that holds all
/// values of its first batch, and what its table declares if they are all NULL. A text holds the numbers beside it as SQL
/// writes them, a blob the bytes of texts.
enum class ColumnType : std::uint8_t { null, integer, real, text, blob };

/// The values of one column in a batch. One of the lists is filled, as `type` says; a NULL is 0, or no bytes.
struct BatchColumn {
    ColumnType type = ColumnType::null;
    std::size_t null_count = 0;
    std::vector<std::uint8_t> valid_bits;  ///< a bit a row, the lowest first; empty if nothing is NULL
    std::vector<std::int64_t> integers = {};
    std::vector<double> reals = {};
    std::vector<std::int32_t> ends = {0};  ///< of text and blob: row i holds bytes[ends[i]] up to bytes[ends[i + 1]]
    std::string bytes = {};                ///< text is UTF-8; what was not is U+FFFD
};

/// Rows of a result, column by column.
struct RowBatch {
    std::size_t row_count = 0;
    std::vector<BatchColumn> columns;
};

/// Takes the rows of a query in batches.
class BatchSink {
public:
    virtual ~BatchSink() = default;
    /// Called once, before the first batch; duplicate names are possible.
    virtual void begin(std::span<const std::string> columns) = 0;
    /// Called at least once: a result without rows is one batch without rows. All batches have the same types. Returns
    /// whether to go on.
    virtual bool batch(RowBatch batch) = 0;
};

inline constexpr std::size_t k_rows_a_batch = std::size_t{1} << 16;
/// Of texts and blobs: a batch ends once it has as many.
inline constexpr std::size_t k_bytes_a_batch = std::size_t{8} << 20;

/// Runs one statement and hands out its rows in batches of at most k_rows_a_batch rows. Every parameter of the statement
/// needs a value, and every value a parameter; the n-th "?" is "?n". `progress` may be null. Errors are those of
/// Database::run(); besides, a value that the type its column got by the first batch cannot hold. Succeeds also when the
/// sink ends it. A tenth of the time of reading rows one by one from a script.
Status run_batches(Database& database, std::string_view sql, std::span<const QueryParameter> parameters, double max_seconds,
                   Progress* progress, BatchSink& sink);

/// All rows of one of our tables (not one that is made for a query, nor a profiler's) with all its columns, in their order,
/// without SQL: what `SELECT * FROM table` gives, in a fraction of the time. Fails for want of such a table, and when
/// stopped.
Status scan_table(Database& database, std::string_view table, Progress* progress, BatchSink& sink);

/// Another database of the same file, which answers while this one is busy. Takes about a millisecond. Any thread.
Result<std::shared_ptr<Database>> open_another(const Database& database);

}  // namespace snapviewer
