#pragma once

#include <future>
#include <string>
#include <utility>

#include "core/base/result.h"

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

}  // namespace snapviewer
