#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/capi/library.h"
#include "core/capi/snapviewer.h"
#include "core/query/batches.h"

namespace snapviewer {

/// A SQL statement with its parameters and time limit, or a table to read as a whole.
struct Question {
    std::string sql = {};
    std::vector<QueryParameter> parameters = {};
    double max_seconds = 0;
    std::string table = {};  ///< If not empty, the name of the table to read as a whole; `sql` is ignored.
};

/// A query that runs on a thread of its own and computes one batch ahead of the reader. Not thread-safe, except stop(). The
/// destructor stops the query.
class QueryStream final : private BatchSink {
public:
    /// Waits for the first batch, so that mistakes in the SQL are reported here. May throw std::system_error.
    static Result<std::unique_ptr<QueryStream>> start(std::shared_ptr<OpenDocument> document, Question question,
                                                      const Caller& caller);
    ~QueryStream() override;
    QueryStream(const QueryStream&) = delete;
    QueryStream& operator=(const QueryStream&) = delete;

    const std::vector<std::string>& columns() const { return columns_; }
    const std::vector<ColumnType>& types() const { return types_; }
    /// Waits for the next batch; nullopt after the last batch.
    Result<std::optional<RowBatch>> next();
    /// Makes next() fail from now on. May be called from any thread.
    void stop();
    /// The message of the last error, kept alive for get_last_error().
    std::string error_text;

private:
    QueryStream(std::shared_ptr<OpenDocument> document, Question question);
    void work();
    Status answer();
    void begin(std::span<const std::string> columns) override;
    bool batch(RowBatch batch) override;
    /// Waits until a batch is ready or the query has ended, and calls `caller` back meanwhile.
    void wait(const Caller& caller);

    std::shared_ptr<OpenDocument> document_;
    Question question_;
    Progress progress_;
    std::mutex mutex_;  ///< Guards the members below.
    std::condition_variable changed_;
    std::vector<std::string> columns_;  ///< Column names; constant, like `types_`, once the first batch is ready.
    std::vector<ColumnType> types_;
    std::optional<RowBatch> ready_;
    bool has_ended_ = false;
    Status status_;
    std::thread worker_;  ///< Declared last, because the thread uses all other members.
};

/// Wraps a query in an Arrow C stream. Releasing the stream destroys the query and so stops it. May throw std::bad_alloc.
void export_stream(std::unique_ptr<QueryStream> stream, ArrowArrayStream& out);

/// The query inside a stream that export_stream() made; nullptr for a released stream or a stream from another library.
QueryStream* query_of(const ArrowArrayStream* stream);

}  // namespace snapviewer
