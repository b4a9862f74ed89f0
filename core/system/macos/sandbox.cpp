#include "core/system/sandbox.h"

namespace snapviewer {

void report_refused_calls() {}

Sandbox enter_sandbox(const SandboxNeeds& /*needs*/) { return {.why_not = "there is none on macOS yet"}; }

}  // namespace snapviewer
