#include "core/base/context.h"

#include <fmt/format.h>

#include "core/base/units.h"
#include "core/system/threads.h"

namespace snapviewer {
namespace {

/// A program for browsers that is linked without threads has no place for what is thread_local.
Context& context_of_this_thread() {
    static constinit Context alone;
    static constinit thread_local Context of_thread;
    return has_threads() ? of_thread : alone;
}

}  // namespace

const Context& Context::current() { return context_of_this_thread(); }

ContextScope::ContextScope(const Context& context) : previous_(std::exchange(context_of_this_thread(), context)) {
    exchange_memory_account(context.account);
}

ContextScope::~ContextScope() {
    context_of_this_thread() = previous_;
    exchange_memory_account(previous_.account);
}

void check_stop() {
    if (must_stop(Context::current().progress)) fail_stopped();
}

void report_stage(Stage stage) {
    if (Progress* const progress = Context::current().progress; progress != nullptr) progress->enter(stage);
}

void report_done(std::uint64_t done, std::uint64_t total) {
    if (Progress* const progress = Context::current().progress; progress != nullptr) progress->update(done, total);
}

Error memory_error(const std::bad_alloc& thrown) {
    const MemoryAccount* const account = Context::current().account;
    if (account == nullptr || !account->is_exceeded()) return error_of(thrown);
    return {ErrorCode::unsupported, fmt::format("needs more than {} of memory, far more than any real snapshot of its size",
                                                format_bytes(account->limit_bytes()))};
}

}  // namespace snapviewer
