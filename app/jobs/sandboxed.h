#pragma once

#include "core/base/result.h"
#include "core/base/sandbox.h"

namespace snapviewer {

/// enter_sandbox() with what this program needs besides: reports of crashes stay possible. Off where the environment
/// variable SNAPVIEWER_SANDBOX says "off", as a debugger or profiler inside of the process needs it, and in builds with
/// sanitizers, which start programs of their own. Where the kernel refuses some of it, stderr is told, once.
Sandbox enter_sandbox_here(SandboxNeeds needs);

/// For the environment variable SNAPVIEWER_SANDBOX: where it says "required", an error unless the kernel grants all of the
/// sandbox; tried in a thread that ends again. To be called before anything else.
Status check_required_sandbox();

}  // namespace snapviewer
