#pragma once

#include <chrono>
#include <future>
#include <utility>

#include "core/base/progress.h"
#include "core/capi/library_sandbox.h"
#include "core/capi/snapviewer.h"

namespace snapviewer {

inline constexpr std::chrono::milliseconds k_between_calls_back{50};

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
auto do_watched(const Caller& caller, Progress& progress, Work work) {
    if (caller.wants_stop(stage_text(progress.stage()), progress.fraction())) progress.request_stop();
    auto outcome = begin_in_sandbox(std::move(work));
    while (outcome.wait_for(k_between_calls_back) != std::future_status::ready) {
        if (caller.wants_stop(stage_text(progress.stage()), progress.fraction())) progress.request_stop();
    }
    return outcome.get();
}

}  // namespace snapviewer
