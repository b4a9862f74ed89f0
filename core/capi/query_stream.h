#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/capi/caller.h"
#include "core/capi/open_documents.h"
#include "core/query/batches.h"

namespace snapviewer {

/// A statement with the values of its parameters, and how long it may take; or a whole table.
struct Question {
    std::string sql = {};
    std::vector<QueryParameter> parameters = {};
    double max_seconds = 0;
    std::string table = {};  ///< if not empty, all of it instead of a statement
};

/// A query at work on a thread of its own, one batch ahead of who takes them. Used by one thread at a time; its end stops
/// the query.
class QueryStream final : private BatchSink {
public:
    /// Waits for the first batch, so that it fails if the SQL does. May throw std::system_error.
    static Result<std::unique_ptr<QueryStream>> start(std::shared_ptr<OpenDocument> document, Question question,
                                                      const Caller& caller);
    ~QueryStream() override;
    QueryStream(const QueryStream&) = delete;
    QueryStream& operator=(const QueryStream&) = delete;

    const std::vector<std::string>& columns() const { return columns_; }
    const std::vector<ColumnType>& types() const { return types_; }
    /// The next batch, none after the last.
    Result<std::optional<RowBatch>> next();
    /// Any thread: next() fails from now on.
    void stop();
    /// What to say of the last error.
    std::string error_text;

private:
    QueryStream(std::shared_ptr<OpenDocument> document, Question question);
    void work();
    Status answer();
    void begin(std::span<const std::string> columns) override;
    bool batch(RowBatch batch) override;
    /// Until there is a batch or the query has ended.
    void wait(const Caller& caller);

    std::shared_ptr<OpenDocument> document_;
    Question question_;
    Progress progress_;
    std::mutex mutex_;  ///< of what follows
    std::condition_variable changed_;
    std::vector<std::string> columns_;  ///< these two do not change once there is a first batch
    std::vector<ColumnType> types_;
    std::optional<RowBatch> ready_;
    bool has_ended_ = false;
    Status status_;
    std::thread worker_;  ///< uses all others
};

}  // namespace snapviewer
