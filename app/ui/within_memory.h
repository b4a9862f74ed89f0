#pragma once

#include "app/ui/sandboxed.h"
#include "core/base/context.h"

namespace snapviewer {

/// Runs `make` in a sandbox and returns its outcome, or the error that it throws. `Outcome` is a Result or a Status.
template <typename Outcome, typename Make>
Outcome within_memory(const Make& make) {
    enter_sandbox_here({});
    Outcome outcome = Error{};
    const Status done = caught([&] { outcome = make(); });
    if (!done) return done.error();
    return outcome;
}

}  // namespace snapviewer
