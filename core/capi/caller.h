#pragma once

#include <chrono>
#include <future>
#include <utility>

#include "core/base/progress.h"
#include "core/capi/library_sandbox.h"
#include "core/capi/snapviewer.h"

namespace snapviewer {

inline constexpr std::chrono::milliseconds k_between_calls_back{50};

/// Who called us, and whether they still want what they asked for.
struct Caller {
    sv_progress progress = nullptr;
    void* context = nullptr;

    /// Calls back, if there is anything to call.
    bool wants_stop(const char* stage, double fraction) const {
        return progress != nullptr && progress(context, stage, fraction) != 0;
    }
};

/// Does work in the sandbox that reports to `progress`, and calls back from this thread meanwhile. May throw
/// std::system_error.
template <typename Work>
auto do_watched(const Caller& caller, Progress& progress, Work work) {
    if (caller.wants_stop(stage_text(progress.stage()), progress.fraction())) progress.request_stop();
    auto outcome = begin_in_sandbox(std::move(work));
    while (outcome.wait_for(k_between_calls_back) != std::future_status::ready) {
        if (caller.wants_stop(stage_text(progress.stage()), progress.fraction())) progress.request_stop();
    }
    return outcome.get();
}

}  // namespace snapviewer
