#include "core/system/sandbox.h"

namespace snapviewer {

void report_refused_calls() {}

/// There is no sandbox yet. Windows can restrict a process, but not a single thread, and nothing of that has been tested so
/// far.
Sandbox enter_sandbox(const SandboxNeeds& /*needs*/) { return {.why_not = "there is none on Windows yet"}; }

}  // namespace snapviewer
