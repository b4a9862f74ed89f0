#pragma once

#include "core/base/result.h"
#include "core/system/sandbox.h"

namespace snapviewer {

/// enter_wished_sandbox() with what this program needs besides: reports of crashes stay possible. Where the kernel refuses
/// some of it, stderr is told, once.
Sandbox enter_sandbox_here(SandboxNeeds needs);

/// An error where the environment variable SNAPVIEWER_SANDBOX says "required" and the kernel does not grant all of the
/// sandbox, which is tried in a thread that ends again, or where it says what nobody knows. To be called before anything is
/// opened.
Status check_required_sandbox();

}  // namespace snapviewer
