#pragma once

#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

#include "core/base/progress.h"
#include "core/base/refusal.h"
#include "core/base/result.h"

/// How work inside core is stopped and how it reports errors. Readers and analyses throw a Failure, at any depth. The entry
/// points (documents, the C interface, the app, every thread and every callback of a C library) turn it into a Result with
/// caught(). The means to stop the work is not passed from function to function; it is in the Context of the thread.
namespace snapviewer {

/// The exception that core throws. It never leaves core.
struct Failure {
    Error error;
    /// True if the input ends or is damaged at this place. Everything that was read before is valid and may be worth
    /// showing.
    bool is_cut = false;
    /// True if the input is damaged and the message says what is wrong with its bytes; implies is_cut.
    bool is_damage = false;

    /// The message for the user: "is cut short at byte 7", "is damaged: it is not valid JSON at byte 7".
    std::string text() const { return (is_damage ? "is damaged: it " : "") + error.text(); }
};

/// The progress and the budget under which a thread works.
struct Context {
    /// Source of stop requests and receiver of progress reports; null if nothing can stop the work.
    Progress* progress = nullptr;
    /// Charged for the memory and the processor time of the thread; null if neither is limited.
    Budget* budget = nullptr;

    Context() = default;
    explicit Context(Progress& both) : progress(&both), budget(&both.budget()) {}
    Context(Progress* stopped_by, Budget* charged) : progress(stopped_by), budget(charged) {}

    /// The context of the calling thread.
    static const Context& current();
};

/// RAII: sets the context of the calling thread and restores the previous one in the destructor.
class ContextScope {
public:
    explicit ContextScope(const Context& context);
    ~ContextScope();
    ContextScope(const ContextScope&) = delete;
    ContextScope& operator=(const ContextScope&) = delete;

private:
    Context previous_;
};

/// The budget of the calling thread. Precondition: its context has one, as it always has while a file is loaded.
Budget& budget_of_thread();

/// Charges text that an answer writes to the budget of the calling thread, if it has one. Throws `unsupported` if the total
/// exceeds the limit; the message then ends with `advice`, which tells the user what to do.
void charge_written(std::uint64_t bytes, std::string_view advice);

/// True if the calling thread must stop: a stop was requested, or its budget has no time left. For callbacks of C libraries,
/// which must not throw. Takes some 20 ns.
bool must_stop();

/// The error for a thread that must stop: `cancelled`, or `unsupported` if its budget has no time left.
Error stop_error();

/// Throws stop_error() if the calling thread must stop. Call it at least every few milliseconds.
void check_stop();

/// Reports the progress of the calling thread: the stage that it enters, or that `done` of `total` is finished, in any unit.
/// `total` is 0 if it is unknown. A no-op if the context has no progress.
void report_stage(Stage stage);
void report_done(std::uint64_t done, std::uint64_t total);

/// Throws the error of `status`, if it is one.
inline void need_ok(const Status& status) {
    if (!status) throw Failure{status.error()};
}

/// Returns the value of `result`, or throws its error.
template <typename T>
T value_or_throw(Result<T> result) {
    if (!result) throw Failure{result.error()};
    return std::move(*result);
}

/// The error for a failed allocation: `unsupported` if the account of the thread reached its limit, else `memory`.
Error memory_error(const std::bad_alloc& thrown);

/// Converts the exception that is being handled to an error. Returns stop_error() if the work must stop; otherwise the error
/// of a Failure, memory_error(), or `environment` if no thread could be started. Rethrows all other exceptions.
Error error_being_handled();

/// Runs `work` and returns its value as a Result, or a Status if it returns nothing. Returns error_being_handled() if `work`
/// throws.
template <typename Work>
auto caught(Work work) {
    using Value = decltype(work());
    using Returned = std::conditional_t<std::is_void_v<Value>, Status, Result<Value>>;
    try {
        if constexpr (std::is_void_v<Value>) {
            work();
            return Returned();
        } else {
            return Returned(work());
        }
    } catch (...) {
        return Returned(error_being_handled());
    }
}

/// Runs `work` as caught(work) does, but in a context in which `progress` can stop it and its budget is charged. Keeps the
/// context of the thread if `progress` is null or already in that context.
template <typename Work>
auto caught(Progress* progress, Work work) {
    const Context& current = Context::current();
    const bool is_new = progress != nullptr && progress != current.progress;
    const ContextScope scope(is_new ? Context(*progress) : current);
    return caught(std::move(work));
}

}  // namespace snapviewer
