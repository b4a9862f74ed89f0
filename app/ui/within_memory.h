#pragma once

#include <cstdint>

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

/// Runs `make` as above, within a budget for files of `read_bytes`, unpacked data included.
template <typename Outcome, typename Make>
Outcome within_memory(std::uint64_t read_bytes, const Make& make) {
    if (Budget* const budget = Context::current().budget; budget != nullptr) budget->add_file(read_bytes);
    return within_memory<Outcome>(make);
}

}  // namespace snapviewer
