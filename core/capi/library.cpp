#include "core/capi/library.h"

#include <fmt/format.h>

#include <cerrno>
#include <exception>

#include "core/document/sandbox_setting.h"
#include "core/system/processes.h"

namespace snapviewer {
namespace {

constexpr std::size_t k_max_idle_connections = 4;
constexpr std::size_t k_max_connections = 64;

}  // namespace

Status enter_library_sandbox() {
    block_signals();
    return check_sandbox_setting(enter_configured_sandbox({}));
}

const std::string& library_sandbox_note() {
    static const std::string note = std::async(std::launch::async, [] {
                                        block_signals();
                                        return enter_configured_sandbox({}).note();
                                    }).get();
    return note;
}

OpenDocument::OpenDocument(std::shared_ptr<const Document> document)
    : document_(std::move(document)), idle_{document_->database} {}

Result<std::shared_ptr<query::Database>> OpenDocument::borrow() {
    Result<std::shared_ptr<query::Database>> kept = idle_or_new_connection();
    if (!kept) return kept;
    const auto take_back_later = [this, database = *kept](query::Database*) { return_connection(database); };
    return std::shared_ptr<query::Database>((*kept).get(), take_back_later);
}

Result<std::shared_ptr<query::Database>> OpenDocument::idle_or_new_connection() {
    const std::lock_guard lock(mutex_);
    if (borrowed_ == k_max_connections) {
        return Error{
            ErrorCode::bad_query,
            fmt::format("{} queries of this document still have unread rows; release some of them first", borrowed_)};
    }
    if (!idle_.empty()) {
        std::shared_ptr<query::Database> database = std::move(idle_.back());
        idle_.pop_back();
        ++borrowed_;
        return database;
    }
    Result<std::shared_ptr<query::Database>> another = document_->database->open_another();
    if (another) ++borrowed_;
    return another;
}

void OpenDocument::return_connection(std::shared_ptr<query::Database> database) {
    const std::lock_guard lock(mutex_);
    --borrowed_;
    if (idle_.size() < k_max_idle_connections) idle_.push_back(std::move(database));
}

OpenDocuments& OpenDocuments::all() {
    static OpenDocuments& documents = *new OpenDocuments;
    return documents;
}

sv_document OpenDocuments::add(std::shared_ptr<OpenDocument> document) {
    const std::lock_guard lock(mutex_);
    documents_.emplace(++last_, std::move(document));
    return last_;
}

std::shared_ptr<OpenDocument> OpenDocuments::find(sv_document number) {
    const std::lock_guard lock(mutex_);
    const auto found = documents_.find(number);
    return found == documents_.end() ? nullptr : found->second;
}

bool OpenDocuments::remove(sv_document number) {
    const auto extract = [&] {
        const std::lock_guard lock(mutex_);
        return documents_.extract(number);
    };
    const auto removed = extract();  // Destroyed after the lock is released, because freeing a large document takes long.
    return !removed.empty();
}

QueryStream::QueryStream(std::shared_ptr<OpenDocument> document, Question question)
    : document_(std::move(document)), question_(std::move(question)) {}

Result<std::unique_ptr<QueryStream>> QueryStream::start(std::shared_ptr<OpenDocument> document, Question question,
                                                        const Caller& caller) {
    std::unique_ptr<QueryStream> stream(new QueryStream(std::move(document), std::move(question)));
    stream->worker_ = std::thread(&QueryStream::work, stream.get());
    stream->wait(caller);
    if (stream->progress_.stop_requested()) return stopped();
    if (!stream->ready_) return stream->status_.error();  // Every successful query has at least one batch.
    for (const query::BatchColumn& column : stream->ready_->columns) stream->types_.push_back(column.type);
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

Result<std::optional<query::RowBatch>> QueryStream::next() {
    wait({});
    const std::lock_guard lock(mutex_);
    if (progress_.stop_requested()) return stopped();
    if (!ready_) {
        if (!status_) return status_.error();
        return std::optional<query::RowBatch>();
    }
    std::optional<query::RowBatch> batch = std::exchange(ready_, std::nullopt);
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
        has_come = changed_.wait_for(lock, k_callback_interval, has_news);
    }
}

Status QueryStream::answer() {
    const Result<std::shared_ptr<query::Database>> database = document_->borrow();
    if (!database) return database.error();
    if (!question_.table.empty()) return (*database)->scan_table(question_.table, &progress_, *this);
    return (*database)->run_batches(question_.sql, question_.parameters, question_.max_seconds, &progress_, *this);
}

void QueryStream::work() {
    Status status = caught(&progress_, [&] {
        throw_if_error(enter_library_sandbox());
        throw_if_error(answer());
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

bool QueryStream::batch(query::RowBatch batch) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !ready_ || progress_.stop_requested(); });
    if (progress_.stop_requested()) return false;
    ready_ = std::move(batch);
    changed_.notify_all();
    return true;
}

namespace {

// Ownership follows the rules of Arrow's C data interface: releasing a struct also releases the children that were not moved
// out of it, and a struct whose `release` is null counts as released.

const char* format_of(query::ColumnType type) {
    switch (type) {
        case query::ColumnType::null: return "n";
        case query::ColumnType::integer: return "l";
        case query::ColumnType::real: return "g";
        case query::ColumnType::text: return "u";
        case query::ColumnType::blob: return "z";
    }
    return "n";
}

/// Owns the children of an ArrowSchema or ArrowArray, and the array of pointers to them that Arrow requires.
template <typename Node>
struct Children {
    std::vector<Node> nodes;
    std::vector<Node*> pointers;

    explicit Children(std::size_t count) : nodes(count) {
        for (Node& node : nodes) pointers.push_back(&node);
    }
    ~Children() {
        for (Node& node : nodes) {
            if (node.release != nullptr) node.release(&node);
        }
    }
    Children(const Children&) = delete;
    Children& operator=(const Children&) = delete;
};

/// Release callback: deletes the private data of a node, which is an Owned.
template <typename Owned, typename Node>
void release_node(Node* node) {
    delete static_cast<Owned*>(node->private_data);
    node->release = nullptr;
}

void export_column_type(const std::string& name, query::ColumnType type, ArrowSchema& out) {
    auto owned = std::make_unique<std::string>(name);
    out = {};
    out.format = format_of(type);
    out.name = owned->c_str();
    out.flags = ARROW_FLAG_NULLABLE;
    out.release = release_node<std::string, ArrowSchema>;
    out.private_data = owned.release();
}

void export_schema(const QueryStream& stream, ArrowSchema& out) {
    using Fields = Children<ArrowSchema>;
    auto fields = std::make_unique<Fields>(stream.columns().size());
    for (std::size_t i = 0; i < fields->nodes.size(); ++i)
        export_column_type(stream.columns()[i], stream.types()[i], fields->nodes[i]);
    out = {};
    out.format = "+s";
    out.name = "";
    out.n_children = static_cast<std::int64_t>(fields->nodes.size());
    out.children = fields->pointers.data();
    out.release = release_node<Fields, ArrowSchema>;
    out.private_data = fields.release();
}

struct OwnedColumn {
    query::BatchColumn column;
    std::vector<const void*> buffers = {};
};

void export_column(query::BatchColumn column, std::size_t row_count, ArrowArray& out) {
    auto owned = std::make_unique<OwnedColumn>(OwnedColumn{std::move(column)});
    const query::BatchColumn& kept = owned->column;
    std::vector<const void*>& buffers = owned->buffers;
    if (kept.type != query::ColumnType::null) buffers.push_back(kept.valid_bits.empty() ? nullptr : kept.valid_bits.data());
    if (kept.type == query::ColumnType::integer) buffers.push_back(kept.integers.data());
    if (kept.type == query::ColumnType::real) buffers.push_back(kept.reals.data());
    if (kept.type == query::ColumnType::text || kept.type == query::ColumnType::blob) {
        buffers.push_back(kept.ends.data());
        buffers.push_back(kept.bytes.data());
    }
    out = {};
    out.length = static_cast<std::int64_t>(row_count);
    out.null_count = static_cast<std::int64_t>(kept.null_count);
    out.n_buffers = static_cast<std::int64_t>(buffers.size());
    out.buffers = buffers.data();
    out.release = release_node<OwnedColumn, ArrowArray>;
    out.private_data = owned.release();
}

struct OwnedBatch {
    explicit OwnedBatch(std::size_t column_count) : columns(column_count) {}

    Children<ArrowArray> columns;
    /// The only buffer of a struct array: its validity bitmap, null because rows are never null.
    const void* no_nulls = nullptr;
};

void export_batch(query::RowBatch batch, ArrowArray& out) {
    auto owned = std::make_unique<OwnedBatch>(batch.columns.size());
    for (std::size_t i = 0; i < batch.columns.size(); ++i)
        export_column(std::move(batch.columns[i]), batch.row_count, owned->columns.nodes[i]);
    out = {};
    out.length = static_cast<std::int64_t>(batch.row_count);
    out.n_buffers = 1;
    out.n_children = static_cast<std::int64_t>(batch.columns.size());
    out.buffers = &owned->no_nulls;
    out.children = owned->columns.pointers.data();
    out.release = release_node<OwnedBatch, ArrowArray>;
    out.private_data = owned.release();
}

/// Runs `work`, which may throw, and stores the error message in the stream. Returns an errno code.
template <typename Work>
int guarded(QueryStream& query, Work work) noexcept {
    try {
        const Result<int> status = caught(work);
        if (status) return *status;
        if (status.error().code == ErrorCode::memory) return ENOMEM;
        query.error_text = status.error().text();
        return EINVAL;
    } catch (const std::exception&) {
        return ENOMEM;
    }
}

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
    QueryStream* const query = query_of(stream);
    if (query == nullptr || out == nullptr) return EINVAL;
    return guarded(*query, [&] {
        export_schema(*query, *out);
        return 0;
    });
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
    QueryStream* const query = query_of(stream);
    if (query == nullptr || out == nullptr) return EINVAL;
    return guarded(*query, [&] {
        Result<std::optional<query::RowBatch>> batch = query->next();
        if (!batch) {
            query->error_text = batch.error().text();
            return batch.error().code == ErrorCode::cancelled ? ECANCELED : EINVAL;
        }
        if (*batch && (*batch)->row_count != 0) {
            export_batch(std::move(**batch), *out);
        } else {
            *out = {};
        }
        return 0;
    });
}

const char* get_last_error(ArrowArrayStream* stream) {
    const QueryStream* const query = query_of(stream);
    return query == nullptr || query->error_text.empty() ? nullptr : query->error_text.c_str();
}

void release(ArrowArrayStream* stream) {
    delete query_of(stream);
    stream->release = nullptr;
}

}  // namespace

QueryStream* query_of(const ArrowArrayStream* stream) {
    return stream == nullptr || stream->release != release ? nullptr : static_cast<QueryStream*>(stream->private_data);
}

void export_stream(std::unique_ptr<QueryStream> stream, ArrowArrayStream& out) {
    out = {get_schema, get_next, get_last_error, release, stream.release()};
}

}  // namespace snapviewer
