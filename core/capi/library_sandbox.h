#pragma once

#include <future>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace snapviewer {

/// For the first thing that a thread of the library does: enters the sandbox, as wished by SNAPVIEWER_SANDBOX, and takes no
/// signals, because a handler of the program that loaded us would run in the sandbox as well. Only for threads that end with
/// their work and call nobody back. An error where nothing may be opened then.
Status enter_library_sandbox();

/// What the kernel holds such threads to: Sandbox::note(). Tried once.
const std::string& library_sandbox_note();

/// Does work on a stranger's file, which gives a Result, on a thread of its own in the sandbox.
template <typename Work>
auto begin_in_sandbox(Work work) {
    return std::async(std::launch::async, [work = std::move(work)]() -> decltype(work()) {
        if (const Status entered = enter_library_sandbox(); !entered) return entered.error();
        return work();
    });
}

}  // namespace snapviewer
