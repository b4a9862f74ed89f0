#pragma once

#include "core/base/sandbox.h"

namespace snapviewer {

/// enter_sandbox() with what this program needs besides: reports of crashes stay possible. Off where the environment
/// variable SNAPVIEWER_SANDBOX says "off", as a debugger or profiler inside of the process needs it, and in builds with
/// sanitizers, which start programs of their own.
Sandbox enter_sandbox_here(SandboxNeeds needs);

}  // namespace snapviewer
