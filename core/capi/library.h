#pragma once

#include <chrono>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/base/context.h"
#include "core/base/result.h"
#include "core/capi/snapviewer.h"
#include "core/document/document.h"

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
    Result<std::shared_ptr<Database>> borrow();

private:
    Result<std::shared_ptr<Database>> idle_or_new_connection();
    void return_connection(std::shared_ptr<Database> database);

    std::shared_ptr<const Document> document_;
    std::mutex mutex_;
    std::vector<std::shared_ptr<Database>> idle_;
    std::size_t borrowed_ = 0;
};

/// The table that maps sv_document handles to documents. Handles are never reused. Thread-safe.
class OpenDocuments {
public:
    /// The table of this process. It is never destroyed, so that a stream can still be read while the process exits.
    static OpenDocuments& all();

    sv_document add(std::shared_ptr<OpenDocument> document);
    std::shared_ptr<OpenDocument> find(sv_document number);  ///< nullptr if the document is closed or was never open
    bool remove(sv_document number);

private:
    std::mutex mutex_;
    std::map<sv_document, std::shared_ptr<OpenDocument>> documents_;
    sv_document last_ = 0;
};

}  // namespace snapviewer
