#include "app/jobs/sandboxed.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <thread>

#include "app/jobs/crash_report.h"

namespace snapviewer {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool k_is_sanitized_build = true;
#else
constexpr bool k_is_sanitized_build = false;
#endif

std::string_view wish() {
    const char* wish = std::getenv("SNAPVIEWER_SANDBOX");
    return wish == nullptr ? std::string_view() : wish;
}

bool is_whole(const Sandbox& sandbox) { return sandbox.filters_calls && sandbox.guards_files; }

void tell_once(const Sandbox& sandbox) {
    static std::once_flag told;
    std::call_once(told, [&] {
        std::fprintf(stderr,
                     "snapviewer: note: sandbox %s; a file with a trap in it has fewer walls before it (with "
                     "SNAPVIEWER_SANDBOX=required nothing is opened then)\n",
                     sandbox.text().c_str());
    });
}

}  // namespace

Status check_required_sandbox() {
    if (wish() != "required") return {};
    Sandbox sandbox;
    std::thread([&] { sandbox = enter_sandbox_here({}); }).join();
    if (is_whole(sandbox)) return {};
    return Error{ErrorCode::environment,
                 "SNAPVIEWER_SANDBOX=required, but the sandbox is " + sandbox.text() + ": nothing is opened"};
}

Sandbox enter_sandbox_here(SandboxNeeds needs) {
    if (k_is_sanitized_build) return {.why_not = "this build has sanitizers, which start programs of their own"};
    if (wish() == "off") return {.why_not = "SNAPVIEWER_SANDBOX says so"};
    needs.report_folder = crash_folder().string();
    // Mesa would complain on stderr that it cannot keep its compiled shaders.
    if (needs.draws) ::setenv("MESA_SHADER_CACHE_DISABLE", "true", 0);
    Sandbox sandbox = enter_sandbox(needs);
    if (!is_whole(sandbox) && wish() != "required") tell_once(sandbox);
    return sandbox;
}

}  // namespace snapviewer
