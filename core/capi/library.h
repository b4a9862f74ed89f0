#pragma once

#include <chrono>
#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/context.h"
#include "core/base/result.h"
#include "core/capi/snapviewer.h"
#include "core/document/document.h"
#include "core/query/batches.h"

namespace snapviewer {

/// Call this first on every thread of the library: enters the sandbox as SNAPVIEWER_SANDBOX demands and blocks all signals,
/// because a signal handler of the host program would run in the sandbox as well. Only for threads that end with their work
/// and run no callbacks of the caller. Returns an error if no file may be opened in this state, such as when
/// SNAPVIEWER_SANDBOX requires a sandbox that the kernel does not provide.
Status enter_library_sandbox();

/// The state of the sandbox on the library's threads, as Sandbox::note() describes it. Determined once, on a thread of its
/// own.
const std::string& library_sandbox_note();

/// Runs `work`, which processes an untrusted file and returns a Result, on a new sandboxed thread. Returns a std::future.
template <typename Work>
auto begin_in_sandbox(Work work) {
    return std::async(std::launch::async, [work = std::move(work)]() -> decltype(work()) {
        if (const Status entered = enter_library_sandbox(); !entered) return entered.error();
        return work();
    });
}

inline constexpr std::chrono::milliseconds k_callback_interval{50};

/// The callback of an sv_* function, which reports progress to the caller and asks whether to stop.
struct Caller {
    sv_progress progress = nullptr;
    void* context = nullptr;

    /// Calls the callback, if the caller gave one. True if the caller wants the work to stop.
    bool wants_stop(const char* stage, double fraction) const {
        return progress != nullptr && progress(context, stage, fraction) != 0;
    }
};

/// Runs `work` on a sandboxed thread and waits for its result. Meanwhile calls `caller` back on the calling thread, every 50
/// ms, with the state of `progress`. Requests a stop through `progress` if the callback asks for one. May throw
/// std::system_error.
template <typename Work>
auto run_with_callback(const Caller& caller, Progress& progress, Work work) {
    if (caller.wants_stop(stage_text(progress.stage()), progress.fraction())) progress.request_stop();
    auto outcome = begin_in_sandbox(std::move(work));
    while (outcome.wait_for(k_callback_interval) != std::future_status::ready) {
        if (caller.wants_stop(stage_text(progress.stage()), progress.fraction())) progress.request_stop();
    }
    return outcome.get();
}

/// An open document and its database connections. Each running query needs a connection of its own, because a connection
/// answers one query at a time. Thread-safe.
class OpenDocument {
public:
    explicit OpenDocument(std::shared_ptr<const Document> document);

    const Document& document() const { return *document_; }
    /// Borrows a connection for exclusive use until the last copy of the pointer is destroyed, which must happen before this
    /// object is destroyed. Fails if 64 connections are in use.
    Result<std::shared_ptr<query::Database>> borrow();

private:
    Result<std::shared_ptr<query::Database>> idle_or_new_connection();
    void return_connection(std::shared_ptr<query::Database> database);

    std::shared_ptr<const Document> document_;
    std::mutex mutex_;
    std::vector<std::shared_ptr<query::Database>> idle_;
    std::size_t borrowed_ = 0;
};

/// The table that maps sv_document handles to documents. Handles are never reused. Thread-safe.
class OpenDocuments {
public:
    /// The table of this process. It is never destroyed, so that a stream can still be read while the process exits.
    static OpenDocuments& all();

    sv_document add(std::shared_ptr<OpenDocument> document);
    /// Returns the document of a handle; nullptr if it is closed or was never open.
    std::shared_ptr<OpenDocument> find(sv_document number);
    bool remove(sv_document number);

private:
    std::mutex mutex_;
    std::map<sv_document, std::shared_ptr<OpenDocument>> documents_;
    sv_document last_ = 0;
};

/// A SQL statement with its parameters and time limit, or a table to read as a whole.
struct Question {
    std::string sql = {};
    std::vector<query::QueryParameter> parameters = {};
    double max_seconds = 0;
    std::string table = {};  ///< If not empty, the name of the table to read as a whole; `sql` is ignored.
};

/// A query that runs on a thread of its own and computes one batch ahead of the reader. Not thread-safe, except stop(). The
/// destructor stops the query.
class QueryStream final : private query::BatchSink {
public:
    /// Waits for the first batch, so that mistakes in the SQL are reported here. May throw std::system_error.
    static Result<std::unique_ptr<QueryStream>> start(std::shared_ptr<OpenDocument> document, Question question,
                                                      const Caller& caller);
    ~QueryStream() override;
    QueryStream(const QueryStream&) = delete;
    QueryStream& operator=(const QueryStream&) = delete;

    const std::vector<std::string>& columns() const { return columns_; }
    const std::vector<query::ColumnType>& types() const { return types_; }
    /// Waits for the next batch; nullopt after the last batch.
    Result<std::optional<query::RowBatch>> next();
    /// Makes next() fail from now on. May be called from any thread.
    void stop();
    /// The message of the last error, kept alive for get_last_error().
    std::string error_text;

private:
    QueryStream(std::shared_ptr<OpenDocument> document, Question question);
    void work();
    Status answer();
    void begin(std::span<const std::string> columns) override;
    bool batch(query::RowBatch batch) override;
    /// Waits until a batch is ready or the query has ended, and calls `caller` back meanwhile.
    void wait(const Caller& caller);

    std::shared_ptr<OpenDocument> document_;
    Question question_;
    Progress progress_;
    std::mutex mutex_;  ///< Guards the members below.
    std::condition_variable changed_;
    std::vector<std::string> columns_;  ///< Column names; constant, like `types_`, once the first batch is ready.
    std::vector<query::ColumnType> types_;
    std::optional<query::RowBatch> ready_;
    bool has_ended_ = false;
    Status status_;
    std::thread worker_;  ///< Declared last, because the thread uses all other members.
};

/// Wraps a query in an Arrow C stream. Releasing the stream destroys the query and so stops it. May throw std::bad_alloc.
void export_stream(std::unique_ptr<QueryStream> stream, ArrowArrayStream& out);

/// The query inside a stream that export_stream() made; nullptr for a released stream or a stream from another library.
QueryStream* query_of(const ArrowArrayStream* stream);

}  // namespace snapviewer
