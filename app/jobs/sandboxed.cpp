#include "app/jobs/sandboxed.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "app/jobs/crash_report.h"

namespace snapviewer {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool k_is_sanitized_build = true;
#else
constexpr bool k_is_sanitized_build = false;
#endif

}  // namespace

Sandbox enter_sandbox_here(SandboxNeeds needs) {
    if (k_is_sanitized_build) return {.why_not = "this build has sanitizers, which start programs of their own"};
    const char* wish = std::getenv("SNAPVIEWER_SANDBOX");
    if (wish != nullptr && std::string_view(wish) == "off") return {.why_not = "SNAPVIEWER_SANDBOX says so"};
    needs.report_folder = crash_folder().string();
    // Mesa would complain on stderr that it cannot keep its compiled shaders.
    if (needs.draws) ::setenv("MESA_SHADER_CACHE_DISABLE", "true", 0);
    return enter_sandbox(needs);
}

}  // namespace snapviewer
