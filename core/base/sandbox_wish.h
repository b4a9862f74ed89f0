#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/system/sandbox.h"

namespace snapviewer {

/// What the environment variable SNAPVIEWER_SANDBOX asks for.
enum class SandboxWish : std::uint8_t {
    on,        ///< as much of it as the kernel grants
    off,       ///< none, as a debugger or profiler inside of the process needs it
    required,  ///< all of it, or nothing is opened
};

/// "on" where the variable is not set or empty. An error for a word that it does not know: who misspells "required" must not
/// be left without.
Result<SandboxWish> sandbox_wish();

/// enter_sandbox() unless it is wished off, or the build has sanitizers, which start programs of their own.
Sandbox enter_wished_sandbox(const SandboxNeeds& needs);

/// An error where that is less than what was wished for, so that nothing may be opened.
Status check_sandbox_wish(const Sandbox& sandbox);

}  // namespace snapviewer
