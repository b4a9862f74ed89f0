#include "core/system/sandbox.h"

namespace snapviewer {

void report_refused_calls() {}

/// Windows can hold a process to less than its user may do, and not a thread; nothing of that could be tried out so far.
Sandbox enter_sandbox(const SandboxNeeds& /*needs*/) { return {.why_not = "there is none on Windows yet"}; }

}  // namespace snapviewer
