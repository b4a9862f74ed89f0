#include "core/capi/query_stream.h"

#include <new>
#include <utility>

#include "core/base/context.h"
#include "core/capi/library_sandbox.h"

namespace snapviewer {

QueryStream::QueryStream(std::shared_ptr<OpenDocument> document, Question question)
    : document_(std::move(document)), question_(std::move(question)) {}

Result<std::unique_ptr<QueryStream>> QueryStream::start(std::shared_ptr<OpenDocument> document, Question question,
                                                        const Caller& caller) {
    std::unique_ptr<QueryStream> stream(new QueryStream(std::move(document), std::move(question)));
    stream->worker_ = std::thread(&QueryStream::work, stream.get());
    stream->wait(caller);
    if (stream->progress_.stop_requested()) return stopped();
    if (!stream->ready_) return stream->status_.error();  // Every successful query has at least one batch.
    for (const BatchColumn& column : stream->ready_->columns) stream->types_.push_back(column.type);
    return stream;
}

void QueryStream::stop() {
    const std::lock_guard lock(mutex_);
    progress_.request_stop();
    changed_.notify_all();
}

QueryStream::~QueryStream() {
    stop();
    if (worker_.joinable()) worker_.join();
}

Result<std::optional<RowBatch>> QueryStream::next() {
    wait({});
    const std::lock_guard lock(mutex_);
    if (progress_.stop_requested()) return stopped();
    if (!ready_) {
        if (!status_) return status_.error();
        return std::optional<RowBatch>();
    }
    std::optional<RowBatch> batch = std::exchange(ready_, std::nullopt);
    changed_.notify_all();
    return batch;
}

void QueryStream::wait(const Caller& caller) {
    const auto has_news = [this] { return ready_.has_value() || has_ended_; };
    bool has_come = false;
    while (!has_come) {
        const bool wants_stop = caller.wants_stop("answering the query", progress_.fraction());
        std::unique_lock lock(mutex_);
        if (wants_stop) progress_.request_stop();
        has_come = changed_.wait_for(lock, k_between_calls_back, has_news);
    }
}

Status QueryStream::answer() {
    const Result<std::shared_ptr<Database>> database = document_->borrow();
    if (!database) return database.error();
    if (!question_.table.empty()) return scan_table(**database, question_.table, &progress_, *this);
    return run_batches(**database, question_.sql, question_.parameters, question_.max_seconds, &progress_, *this);
}

void QueryStream::work() {
    Status status = caught(&progress_, [&] {
        need_ok(enter_library_sandbox());
        need_ok(answer());
    });
    if (status && progress_.stop_requested()) status = stopped();
    const std::lock_guard lock(mutex_);
    status_ = std::move(status);
    has_ended_ = true;
    changed_.notify_all();
}

void QueryStream::begin(std::span<const std::string> columns) {
    const std::lock_guard lock(mutex_);
    columns_.assign(columns.begin(), columns.end());
}

bool QueryStream::batch(RowBatch batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !ready_ || progress_.stop_requested(); });
    if (progress_.stop_requested()) return false;
    ready_ = std::move(batch);
    changed_.notify_all();
    return true;
}

}  // namespace snapviewer
