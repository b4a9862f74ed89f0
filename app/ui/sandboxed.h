#pragma once

#include <cstdint>

#include "core/base/context.h"
#include "core/base/result.h"
#include "core/system/sandbox.h"

namespace snapviewer {

/// Calls enter_configured_sandbox() and also keeps crash reports possible. If the kernel refuses parts of the sandbox,
/// prints a note to stderr once.
Sandbox enter_sandbox_here(SandboxNeeds needs);

/// Returns an error if SNAPVIEWER_SANDBOX is "required" but the kernel does not support the whole sandbox, or if its value
/// is unknown. Tries the sandbox in a temporary thread. Call this before anything is opened.
Status check_required_sandbox();

/// Runs `make` in a sandbox and returns its result. Exceptions of `make` become errors. `Outcome` is a Result or a Status.
template <typename Outcome, typename Make>
Outcome within_memory(const Make& make) {
    enter_sandbox_here({});
    Outcome outcome = Error{};
    const Status done = caught([&] { outcome = make(); });
    if (!done) return done.error();
    return outcome;
}

/// Like within_memory() above, and charges `read_bytes`, the size of the files after unpacking, to the memory budget first.
template <typename Outcome, typename Make>
Outcome within_memory(std::uint64_t read_bytes, const Make& make) {
    if (Budget* const budget = Context::current().budget; budget != nullptr) budget->add_file(read_bytes);
    return within_memory<Outcome>(make);
}

}  // namespace snapviewer
