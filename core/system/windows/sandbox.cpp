#include "core/system/sandbox.h"

namespace snapviewer {

/// Windows holds processes to less, not threads, and nothing of that could be tried out so far: none, and said so.
Sandbox enter_sandbox(const SandboxNeeds& /*needs*/) {
    Sandbox sandbox;
    sandbox.was_refused = true;
    sandbox.why_not = "there is none on Windows yet";
    return sandbox;
}

}  // namespace snapviewer
