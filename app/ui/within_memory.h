#pragma once

#include <new>

#include "app/ui/sandboxed.h"
#include "core/base/result.h"

namespace snapviewer {

/// What `make` gives, worked out in a sandbox; an error where memory does not suffice. `Outcome` is a Result.
template <typename Outcome, typename Make>
Outcome within_memory(const Make& make) {
    enter_sandbox_here({});
    try {
        return make();
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::memory, "needs more memory than is available", {}, {}};
    }
}

}  // namespace snapviewer
