#pragma once

#include <cstdint>

#include "app/ui/sandboxed.h"
#include "core/base/context.h"

namespace snapviewer {

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
