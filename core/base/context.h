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

/// How work inside core is stopped and how it fails. Readers and analyses throw a Failure, at any depth; the entry points
/// (documents, the C interface, the app, each thread and each callback of a C library) turn it into a Result with caught().
/// What stops the work is not passed from function to function: it is the Context of the thread.
namespace snapviewer {

/// The exception of core. Nothing outside core sees one.
struct Failure {
    Error error;
    bool is_cut = false;     ///< the input ends or is damaged here; what was read before is good and may be worth showing
    bool is_damage = false;  ///< is_cut, and the message says what is wrong with the bytes here

    /// "is cut short at byte 7", "is damaged: it is not valid JSON at byte 7".
    std::string text() const { return (is_damage ? "is damaged: it " : "") + error.text(); }
};

/// The conditions under which a thread works.
struct Context {
    Progress* progress = nullptr;  ///< asked whether to stop, and told what is done; null if nothing can stop the work
    Budget* budget = nullptr;      ///< charged for the memory and the processor time of the thread; null if nothing is

    Context() = default;
    explicit Context(Progress& both) : progress(&both), budget(&both.budget()) {}
    Context(Progress* stopped_by, Budget* charged) : progress(stopped_by), budget(charged) {}

    /// The context of the calling thread.
    static const Context& current();
};

/// Makes a context that of the calling thread, and restores the previous one at the end of its scope.
class ContextScope {
public:
    explicit ContextScope(const Context& context);
    ~ContextScope();
    ContextScope(const ContextScope&) = delete;
    ContextScope& operator=(const ContextScope&) = delete;

private:
    Context previous_;
};

/// The budget of the work of the calling thread, which must have one, as all loading has.
Budget& budget_of_thread();

/// Charges text of an answer to the budget of the calling thread, if it has one. Throws `unsupported` if that is too much;
/// `advice` says what to do then.
void charge_written(std::uint64_t bytes, std::string_view advice);

/// Whether the work of the calling thread is to stop: somebody asked for it, or its budget has no time left. For callbacks
/// of libraries, which may not throw. Some 20 ns.
bool must_stop();

/// Why it is to stop: `cancelled`, or `unsupported` if its budget has no time left.
Error stop_error();

/// Throws stop_error() if the work of the calling thread is to stop. Call it at least every few milliseconds.
void check_stop();

/// Tells whoever watches the work of the calling thread what it does now, and that `done` of `total` is done, in any unit;
/// `total` is 0 if it is unknown.
void report_stage(Stage stage);
void report_done(std::uint64_t done, std::uint64_t total);

/// Throws the error of `status` if it has one.
inline void need_ok(const Status& status) {
    if (!status) throw Failure{status.error()};
}

/// The value of `result`. Throws its error if it has none.
template <typename T>
T value_or_throw(Result<T> result) {
    if (!result) throw Failure{result.error()};
    return std::move(*result);
}

/// The error for memory that ran out: `unsupported` if it was the limit of the thread's account, else `memory`.
Error memory_error(const std::bad_alloc& thrown);

/// The error of the exception that is being handled: why the work is to stop, if it is; else that of a Failure,
/// memory_error(), or `environment` if no thread could be started. Other exceptions pass.
Error error_being_handled();

/// Runs `work` and returns its value as a Result, or a Status if it has none. Returns error_being_handled() if it throws.
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

/// As above, for work that `progress` can stop and whose account is charged. Null, or that of the calling thread, leaves the
/// thread's context as it is.
template <typename Work>
auto caught(Progress* progress, Work work) {
    const Context& current = Context::current();
    const bool is_new = progress != nullptr && progress != current.progress;
    const ContextScope scope(is_new ? Context(*progress) : current);
    return caught(std::move(work));
}

}  // namespace snapviewer
