#include "core/capi/library.h"

#include <fmt/format.h>

#include <future>
#include <mutex>
#include <utility>

#include "core/document/sandbox_setting.h"
#include "core/system/signals.h"

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

Result<std::shared_ptr<Database>> OpenDocument::borrow() {
    Result<std::shared_ptr<Database>> kept = idle_or_new_connection();
    if (!kept) return kept;
    const auto take_back_later = [this, database = *kept](Database*) { return_connection(database); };
    return std::shared_ptr<Database>((*kept).get(), take_back_later);
}

Result<std::shared_ptr<Database>> OpenDocument::idle_or_new_connection() {
    const std::lock_guard lock(mutex_);
    if (borrowed_ == k_max_connections) {
        return Error{
            ErrorCode::bad_query,
            fmt::format("{} queries of this document still have unread rows; release some of them first", borrowed_)};
    }
    if (!idle_.empty()) {
        std::shared_ptr<Database> database = std::move(idle_.back());
        idle_.pop_back();
        ++borrowed_;
        return database;
    }
    Result<std::shared_ptr<Database>> another = document_->database->open_another();
    if (another) ++borrowed_;
    return another;
}

void OpenDocument::return_connection(std::shared_ptr<Database> database) {
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

}  // namespace snapviewer
