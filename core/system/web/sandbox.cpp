#include "core/system/sandbox.h"

#include <emscripten.h>

EM_JS(int, snapviewer_is_in_page, (),
      { return typeof document != "undefined" || typeof WorkerGlobalScope != "undefined" ? 1 : 0; });

namespace snapviewer {

void report_refused_calls() {}

/// The browser is the sandbox of a page: the page reaches only the files that the user gives it, and can start no programs.
Sandbox enter_sandbox(const SandboxNeeds& /*needs*/) {
    if (snapviewer_is_in_page() != 0) return {.filters_calls = true, .guards_files = true};
    return {.why_not = "node has none"};
}

}  // namespace snapviewer
