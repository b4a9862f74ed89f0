#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/system/sandbox.h"

namespace snapviewer {

/// The value of the environment variable SNAPVIEWER_SANDBOX.
enum class SandboxSetting : std::uint8_t {
    on,        ///< use as much of the sandbox as the kernel supports
    off,       ///< no sandbox, for debuggers and profilers inside the process
    required,  ///< refuse to open files unless the sandbox is complete
};

/// Reads the environment variable; "on" if it is unset or empty. An unknown word is an error, so that a misspelt "required"
/// does not disable the sandbox silently.
Result<SandboxSetting> sandbox_setting();

/// Calls enter_sandbox(), unless the variable is "off" or the build has sanitizers, which start other programs.
Sandbox enter_configured_sandbox(const SandboxNeeds& needs);

/// Returns an error if the variable is invalid, or if it is "required" and the sandbox is not complete. Then no file may be
/// opened.
Status check_sandbox_setting(const Sandbox& sandbox);

}  // namespace snapviewer
