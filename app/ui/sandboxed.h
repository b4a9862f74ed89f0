#pragma once

#include "core/base/result.h"
#include "core/system/sandbox.h"

namespace snapviewer {

/// Calls enter_configured_sandbox() and also keeps crash reports possible. If the kernel refuses parts of the sandbox,
/// prints a note to stderr once.
Sandbox enter_sandbox_here(SandboxNeeds needs);

/// Returns an error if SNAPVIEWER_SANDBOX is "required" but the kernel does not support the whole sandbox, or if its value
/// is unknown. Tries the sandbox in a temporary thread. Call this before anything is opened.
Status check_required_sandbox();

}  // namespace snapviewer
